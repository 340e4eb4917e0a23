// Prefix sums within each subgroup.

kernel void prefix(global const int *in, global int *inclusive, global int *exclusive, global int *total) {
  uint id = get_global_id(0);
  inclusive[id] = sub_group_scan_inclusive_add(in[id]);
  exclusive[id] = sub_group_scan_exclusive_max(in[id]);
  total[id] = sub_group_reduce_add(in[id]);
}
