// Threads take a lock in turn to add to what is no atomic.
#include "gpu.h"

extern "C" __global__ void spinlock(int *lock, int *sum) {
  int mine = blockIdx_x * blockDim_x + threadIdx_x + 1;
  bool done = false;
  while (!done) {
    if (__scoped_atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) == 0) {
      *sum += mine;
      __scoped_atomic_store_n(lock, 0, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
      done = true;
    }
  }
}
