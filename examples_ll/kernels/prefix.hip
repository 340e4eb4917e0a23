// Prefix sums within each row of 16 lanes, by DPP's shifts; then the first row's sum goes to the second.
#include "gpu.h"
#define SHIFTED(value, by) __builtin_amdgcn_update_dpp(0, value, 0x110 + by, 15, 15, false)

extern "C" __global__ void prefix(const int *in, int *out) {
  uint id = blockIdx_x * blockDim_x + threadIdx_x;
  int sum = in[id];
  sum += SHIFTED(sum, 1);
  sum += SHIFTED(sum, 2);
  sum += SHIFTED(sum, 4);
  sum += SHIFTED(sum, 8);
  int first = __builtin_amdgcn_readlane(sum, 15);
  if (lane() >= 16)
    sum += first;
  out[id] = sum;
}
