// Threads leave a loop at different times, and vote as they go.
#include "gpu.h"
kernel void leave(global int *out, int x) {
  int votes = 0;
  for (int i = 0; i < 4; i++) {
    if (i == (x & 3)) {
      votes = VOTE(x & 4);
      break;
    }
    votes += FIRST(x + i);
  }
  out[ME] = votes;
}
