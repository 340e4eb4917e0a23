// As clang writes tokens: a wave operation in a block that has left the loop, under the loop's token.
export int leave(int thread, int x) {
  int sum = 0;
  for (int i = 0; i < (x & 3); i++) {
    if ((i ^ thread) == 2) {
      sum += __builtin_hlsl_wave_active_sum(x);
      break;
    }
    if ((i & 1) == (thread & 1))
      continue;
    sum += __builtin_hlsl_wave_active_sum(i);
  }
  return sum + __builtin_hlsl_wave_active_sum(1);
}
