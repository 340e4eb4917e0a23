// Keeps the elements that are not zero: a ballot of each warp says how many are before mine.
#include "gpu.h"

extern "C" __global__ void compaction(const int *in, int *out, int *size) {
  int value = in[blockIdx_x * blockDim_x + threadIdx_x];
  uint keep = ballot(value != 0);
  int first = 0;
  if (lane() == 0)
    first = atomicAdd(size, __builtin_popcount(keep));
  first = shuffle(first, 0);
  if (value != 0)
    out[first + below(keep)] = value;
}
