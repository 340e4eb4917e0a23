// Prefix sums within each warp, by shuffles from lower lanes.
#include "gpu.h"

extern "C" __global__ void prefix(const int *in, int *out) {
  uint id = blockIdx_x * blockDim_x + threadIdx_x;
  int sum = in[id];
  for (uint distance = 1; distance < 32; distance <<= 1) {
    int before = __nvvm_shfl_sync_up_i32(~0u, sum, distance, 0);
    if (lane() >= distance)
      sum += before;
  }
  out[id] = sum;
}
