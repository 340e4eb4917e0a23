// Sums of all before, by doubling the distance; what is read is taken before anybody writes.
#include "gpu.h"
kernel void scan(global int *out, int x) {
  local int shared[N];
  shared[ME] = x & 15;
  BARRIER();
  for (int distance = 1; distance < N; distance *= 2) {
    int more = ME >= distance ? shared[ME - distance] : 0;
    BARRIER();
    shared[ME] += more;
    BARRIER();
  }
  out[ME] = shared[ME];
}
