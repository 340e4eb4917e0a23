// Each block adds its elements in a tree, through shared memory.
#include "gpu.h"

extern "C" __global__ void reduction(const int *in, int *out) {
  __shared__ int tile[64];
  uint me = threadIdx_x;
  tile[me] = in[blockIdx_x * blockDim_x + me];
  __syncthreads();
  for (uint stride = blockDim_x / 2; stride > 0; stride >>= 1) {
    if (me < stride)
      tile[me] += tile[me + stride];
    __syncthreads();
  }
  if (me == 0)
    out[blockIdx_x] = tile[0];
}
