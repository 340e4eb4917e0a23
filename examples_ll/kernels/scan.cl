// Inclusive prefix sums of each workgroup's elements, after Hillis and Steele: twice the distance in each round.
kernel void scan(global const int *in, global int *out, local int *tile) {
  uint me = get_local_id(0), size = get_local_size(0);
  int sum = in[get_global_id(0)];
  for (uint distance = 1; distance < size; distance <<= 1) {
    tile[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me >= distance)
      sum += tile[me - distance];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}
