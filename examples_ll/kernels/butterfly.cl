// The sum of each subgroup, in every lane: each round exchanges with the lane whose number differs in one bit.

kernel void butterfly(global const int *in, global int *out) {
  int sum = in[get_global_id(0)];
  for (uint bit = 1; bit < get_sub_group_size(); bit <<= 1)
    sum += sub_group_shuffle_xor(sum, bit);
  out[get_global_id(0)] = sum;
}
