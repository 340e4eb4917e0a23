#version 450
layout(local_size_x = 16) in;
layout(constant_id = 0) const uint SIZE = 16;
layout(binding = 0) buffer In { int values[]; } src;
layout(binding = 1) buffer Out { int sums[]; } dst;
shared int part[2 * SIZE];
void main() {
  uint l = gl_LocalInvocationID.x;
  part[l] = src.values[gl_GlobalInvocationID.x];
  for (uint step = SIZE / 2; step > 0; step >>= 1) {
    barrier();
    if (l < step) part[l] += part[l + step];
  }
  if (l == 0) dst.sums[gl_WorkGroupID.x] = part[0];
}
