// Votes in both arms of a branch, in a switch, and behind.
#include "gpu.h"
static int twist(int x, int y) {
  switch (x & 3) {
  case 0:
    return VOTE(y > 1);
  case 1:
    y += FIRST(y);
  case 2:
    return y * 5;
  default:
    return FIRST(x + y);
  }
}
kernel void branch(global int *out, int x, int y) {
  int r;
  if (x < y)
    r = twist(x, y);
  else
    r = twist(y, x) + FIRST(y);
  out[ME] = r + VOTE(r & 1);
}
