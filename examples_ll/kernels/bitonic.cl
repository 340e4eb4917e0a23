// Sorts each workgroup's elements in local memory.
kernel void bitonic(global int *data, local int *tile) {
  uint me = get_local_id(0);
  tile[me] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint size = 2; size <= get_local_size(0); size <<= 1)
    for (uint stride = size >> 1; stride > 0; stride >>= 1) {
      uint other = me ^ stride;
      if (other > me) {
        bool up = (me & size) == 0;
        int mine = tile[me], its = tile[other];
        if ((mine > its) == up) {
          tile[me] = its;
          tile[other] = mine;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  data[get_global_id(0)] = tile[me];
}
