// Exclusive prefix sums of each block's elements, after Blelloch: up a tree, and down again.
#include "gpu.h"

extern "C" __global__ void scan(const int *in, int *out) {
  __shared__ int tile[32];
  uint me = threadIdx_x, size = blockDim_x, first = blockIdx_x * size;
  tile[me] = in[first + me];
  for (uint step = 1; step < size; step <<= 1) {
    __syncthreads();
    if ((me + 1) % (2 * step) == 0)
      tile[me] += tile[me - step];
  }
  if (me == size - 1)
    tile[me] = 0;
  for (uint step = size / 2; step > 0; step >>= 1) {
    __syncthreads();
    if ((me + 1) % (2 * step) == 0) {
      int left = tile[me - step];
      tile[me - step] = tile[me];
      tile[me] += left;
    }
  }
  __syncthreads();
  out[first + me] = tile[me];
}
