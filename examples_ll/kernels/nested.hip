// Two loops that each thread leaves in its own time, and ballots inside: who is still here?
#include "gpu.h"

extern "C" __global__ void nested(const int *outer, const int *inner, int *out) {
  uint id = blockIdx_x * blockDim_x + threadIdx_x;
  int votes = 0;
  for (int i = 0; i < outer[id]; i++) {
    for (int j = 0; j < inner[id]; j++)
      votes += __builtin_popcount(ballot(true));
    votes += 100 * __builtin_popcount(ballot(i % 2 == 0));
  }
  out[id] = votes;
}
