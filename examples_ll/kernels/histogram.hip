// How often each value is there: counted in shared memory, then added to the global counts.
#include "gpu.h"
#define BINS 8

extern "C" __global__ void histogram(const unsigned char *in, int *counts) {
  __shared__ int bins[BINS];
  uint me = threadIdx_x;
  if (me < BINS)
    bins[me] = 0;
  __syncthreads();
  atomicAdd(&bins[in[blockIdx_x * blockDim_x + me] % BINS], 1);
  __syncthreads();
  if (me < BINS)
    atomicAdd(&counts[me], bins[me]);
}
