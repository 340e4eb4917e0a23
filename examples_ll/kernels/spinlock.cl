// Threads take a lock in turn to add to what is no atomic.
kernel void spinlock(global atomic_int *lock, global int *sum) {
  int mine = get_global_id(0) + 1;
  bool done = false;
  while (!done) {
    int expected = 0;
    if (atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire,
                                                memory_order_relaxed, memory_scope_device)) {
      *sum += mine;
      atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
      done = true;
    }
  }
}
