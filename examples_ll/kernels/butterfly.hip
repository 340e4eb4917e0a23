// The largest of each wave, in every lane: each round exchanges with the lane whose number differs in one bit.
#include "gpu.h"

extern "C" __global__ void butterfly(const int *in, int *out) {
  uint id = blockIdx_x * blockDim_x + threadIdx_x;
  int most = in[id];
  for (uint bit = 1; bit < 32; bit <<= 1) {
    int other = shuffle(most, lane() ^ bit);
    most = other > most ? other : most;
  }
  out[id] = most;
}
