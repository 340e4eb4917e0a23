// Each workgroup's exponentials, as parts of their sum: the largest first, so that nothing overflows.
kernel void softmax(global const float *in, global float *out, local float *tile) {
  uint me = get_local_id(0), size = get_local_size(0), id = get_global_id(0);
  tile[me] = in[id];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = size / 2; s; s >>= 1) {
    if (me < s)
      tile[me] = fmax(tile[me], tile[me + s]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float largest = tile[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  float part = exp(in[id] - largest);
  tile[me] = part;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = size / 2; s; s >>= 1) {
    if (me < s)
      tile[me] += tile[me + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[id] = part / tile[0];
}
