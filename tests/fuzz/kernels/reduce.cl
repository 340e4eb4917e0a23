// A tree of additions; in each step half of the threads add.
#include "gpu.h"
kernel void reduce(global int *out, int x) {
  local int shared[N];
  for (int i = ME; i < N; i += 2) shared[i] = 0;
  BARRIER();
  shared[ME] = x;
  BARRIER();
  for (int step = N / 2; step > 0; step /= 2) {
    if (ME < step) shared[ME] += shared[ME + step];
    BARRIER();
  }
  if (ME == 0) out[0] = shared[0];
}
