#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Data { uint d[]; } b[2];
shared uint a[2][8];
void main() {
  uint l = gl_LocalInvocationIndex, from = 0;
  a[0][l] = b[0].d[gl_GlobalInvocationID.x];
  for (uint n = 1; n < 8; n *= 2) {
    memoryBarrierShared();
    barrier();
    a[1 - from][l] = a[from][l] + (l >= n ? a[from][l - n] : 0u);
    from = 1 - from;
  }
  b[1].d[gl_GlobalInvocationID.x] = a[from][l];
}
