// Sorts each block's elements in shared memory.
#include "gpu.h"

__shared__ float tile[32];

__device__ static void order(uint a, uint b, bool up) {
  if ((tile[a] > tile[b]) == up) {
    float t = tile[a];
    tile[a] = tile[b];
    tile[b] = t;
  }
}

extern "C" __global__ void bitonic(float *data) {
  uint me = threadIdx_x, id = blockIdx_x * blockDim_x + me;
  tile[me] = data[id];
  __syncthreads();
  for (uint size = 2; size <= blockDim_x; size <<= 1)
    for (uint stride = size >> 1; stride > 0; stride >>= 1) {
      if ((me ^ stride) > me)
        order(me, me ^ stride, (me & size) == 0);
      __syncthreads();
    }
  data[id] = tile[me];
}
