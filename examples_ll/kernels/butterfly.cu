// The sum of each warp, in every lane: each round exchanges with the lane whose number differs in one bit.
#include "gpu.h"

extern "C" __global__ void butterfly(const float *in, float *out) {
  uint id = blockIdx_x * blockDim_x + threadIdx_x;
  float sum = in[id];
#pragma unroll 1
  for (int bit = 16; bit > 0; bit >>= 1)
    sum += __nvvm_shfl_sync_bfly_f32(~0u, sum, bit, 31);
  out[id] = sum;
}
