int helper(__generic int* p, int x) { *p += x; return *p; }
kernel void f(global int* o, global atomic_int* counter, global uchar4* px) {
  int l = get_local_id(0); int own = l; local int shared_[8];
  shared_[l] = l * l; barrier(CLK_LOCAL_MEM_FENCE);
  int r = helper(&own, 3) + helper(&shared_[l], 5);
  int t = atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_device);
  uchar4 p = px[l]; p.xy = p.yx + (uchar2)(250, 1); px[l] = p;
  double d = (double)r / 3.0; ulong u = as_ulong(d);
  short4 s4 = convert_short4_sat(convert_int4(p) * 1000);
  o[l] = r + (t < 8) + (int)(u >> 60) + s4.x + sub_group_reduce_max(l) + (int)rotate(0x80000001u, (uint)l);
}
