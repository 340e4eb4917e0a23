// Loops in loops, left from inside.
export int nested(int x, int y) {
  int sum = 0;
  for (int i = 0; i < (x & 3); i++) {
    int j = 0;
    do {
      if (((i + j) & 3) == (y & 3))
        return sum + __builtin_hlsl_wave_active_sum(j);
      sum += __builtin_hlsl_wave_active_sum(1);
    } while (++j < 2);
    if (__builtin_hlsl_wave_active_any_true(sum > y))
      break;
  }
  return sum;
}
