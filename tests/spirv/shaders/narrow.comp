#version 450
// Numbers of 8, 16 and 64 bits, alone, in vectors, and in structures.
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_EXT_shader_8bit_storage : enable
#extension GL_EXT_shader_16bit_storage : enable
layout(local_size_x = 8) in;
struct Mixed { int8_t a; uint16_t b; i8vec3 c; float16_t h; u16vec2 w; };
layout(set = 0, binding = 0, std430) buffer I { Mixed m[8]; };
layout(set = 0, binding = 1) buffer O { int64_t o[]; };
layout(set = 0, binding = 2) buffer P { uint8_t p[]; };
void main() {
    uint t = gl_LocalInvocationIndex;
    Mixed q = m[t];
    int8_t s = q.a * int8_t(3);
    uint16_t u = q.b + q.w.y;
    o[t] = (int64_t(s) * int64_t(u) << 20) - int64_t(q.c.x) * int64_t(q.c.z) + int64_t(float(q.h) * 8.0);
    p[t] = uint8_t(u >> uint16_t(3));
    p[8 + t] = uint8_t(q.c.y);
    m[t].w = u16vec2(u, uint16_t(t));
    m[t].h = q.h * float16_t(2.0);
    m[t].c.y = s;
}
