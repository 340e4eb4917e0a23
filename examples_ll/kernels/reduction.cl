// Each workgroup adds its elements in a tree, through local memory.
kernel void reduction(global const int *in, global int *out, local int *tile) {
  uint me = get_local_id(0);
  tile[me] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint stride = get_local_size(0) / 2; stride > 0; stride >>= 1) {
    if (me < stride)
      tile[me] += tile[me + stride];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (me == 0)
    out[get_group_id(0)] = tile[0];
}
