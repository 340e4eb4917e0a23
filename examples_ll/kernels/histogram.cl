// How often each value is there: counted in local memory, then added to the global counts.
#define BINS 8

kernel void histogram(global const uchar *in, uint size, global int *counts) {
  local int bins[BINS];
  uint me = get_local_id(0);
  if (me < BINS)
    bins[me] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < size; i += get_global_size(0))
    atomic_inc(&bins[in[i] % BINS]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me < BINS)
    atomic_add(&counts[me], bins[me]);
}
