#version 450
layout(local_size_x = 4) in;
layout(std140, binding = 0) uniform U { mat3 m; mat2 k; vec3 shift; float bias[3]; } u;
layout(std430, binding = 1) buffer Out { vec4 r[]; } o;
vec3 turned(mat3 m, vec3 v) { return transpose(m) * (m * v) + v * m; }
void main() {
  uint i = gl_LocalInvocationIndex;
  vec3 v = vec3(i, i + 1, i + 2);
  vec3 t = turned(u.m, v) + u.shift;
  vec2 w = (u.k * u.k) * v.xy;
  mat2 outer = outerProduct(w, v.yz);
  o.r[i] = vec4(t.x + u.bias[i % 3], dot(t, v), outer[1][0], w.y);
}
