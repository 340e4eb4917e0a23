#version 450
#extension GL_KHR_shader_subgroup_arithmetic : enable
layout(local_size_x = 8) in;
layout(binding = 0) buffer Out { uint r[]; };
uint collatz(uint x) {
  uint n = 0;
  while (x != 1u) {
    if (n > 20u) return 99u;
    x = (x & 1u) == 0u ? x / 2u : 3u * x + 1u;
    ++n;
  }
  return n;
}
void main() {
  uint t = gl_LocalInvocationIndex, sum = 0;
  uint i = 0;
  do {
    for (uint j = 0; j <= t; ++j) {
      if (j == 5u) break;
      if ((j ^ i) % 3u == 1u) continue;
      sum += j * 10u + subgroupAdd(1u);
    }
    ++i;
  } while (i < 1u + t % 3u);
  r[t] = sum * 100u + collatz(t + 1u);
}
