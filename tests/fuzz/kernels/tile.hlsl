// A tile that the group shares, and a helper that is inlined or not.
groupshared int shared[16];
static int half_of(int x) {
  if (x & 1)
    return __builtin_hlsl_wave_active_sum(x) / 2;
  return x / 2;
}
export int tile(int thread, int x) {
  int me = __builtin_hlsl_wave_get_lane_index() & 15;
  shared[me] = half_of(x);
  __builtin_hlsl_group_memory_barrier_with_group_sync();
  int other = shared[me ^ 1];
  __builtin_hlsl_group_memory_barrier_with_group_sync();
  shared[me] = other + 1;
  return other;
}
