#version 450
layout(local_size_x = 16) in;
layout(binding = 0) buffer In { uint v[]; };
layout(binding = 1) buffer Out { uint bins[8]; uint most; uint swaps; };
shared uint local[8];
void main() {
  uint l = gl_LocalInvocationIndex;
  if (l < 8) local[l] = 0;
  barrier();
  uint x = v[gl_GlobalInvocationID.x];
  atomicAdd(local[x & 7u], 1u);
  atomicMax(most, x);
  if (atomicCompSwap(swaps, 0u, x + 1u) == 0u) atomicOr(swaps, 0x100u);
  barrier();
  if (l < 8) atomicAdd(bins[l], local[l]);
}
