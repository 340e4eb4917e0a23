#version 450
// A block of push constants, and doubles.
layout(local_size_x = 4) in;
layout(push_constant) uniform PC { mat2 m; vec3 v; int n; } pc;
layout(set = 0, binding = 0) buffer O { double o[]; };
void main() {
    uint t = gl_LocalInvocationIndex;
    vec2 x = vec2(t, 1);
    for (int i = 0; i < pc.n; i++) x = pc.m * x + pc.v.xy;
    dvec2 d = dvec2(x) / 3.0LF;
    o[2 * t] = d.x * d.x - sqrt(abs(d.y));
    o[2 * t + 1] = determinant(dmat2(d, d.yx)) + packDouble2x32(uvec2(t, 0x3ff00000u)) + pc.v.z;
}
