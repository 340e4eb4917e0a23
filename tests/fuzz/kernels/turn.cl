// A small matrix turned over, a row a thread.
#include "gpu.h"
kernel void turn(global int *out, global const int *in) {
  local int square[4 * N];
  for (int column = 0; column < 2; column++) square[ME * 2 + column] = in[ME * 2 + column];
  BARRIER();
  for (int column = 0; column < 2; column++) out[column * N + ME] = square[ME * 2 + column];
}
