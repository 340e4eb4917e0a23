// A ray for each column of a landscape: it goes on by the distance that is free, and leaves the loop when it hits.
#include "gpu.h"
#define LENGTH 16

extern "C" __global__ void raymarch(const float *distances, float *depth, int *together) {
  uint ray = blockIdx_x * blockDim_x + threadIdx_x;
  float t = 0;
  int last = 0;
  while (t < LENGTH) {
    float free = distances[ray * LENGTH + (int)t];
    if (free < 0.25f)
      break;
    t += free;
    last = __builtin_popcount(ballot(true));
  }
  depth[ray] = t;
  together[ray] = last;
}
