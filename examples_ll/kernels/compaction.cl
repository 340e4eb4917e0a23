// Keeps the elements that are not zero, in order: a ballot of each subgroup says how many are before mine.

kernel void compaction(global const int *in, global int *out, global int *size) {
  int value = in[get_global_id(0)];
  uint4 keep = sub_group_ballot(value != 0);
  uint before = sub_group_ballot_exclusive_scan(keep);
  int first = 0;
  if (get_sub_group_local_id() == 0)
    first = atomic_add(size, (int)sub_group_ballot_bit_count(keep));
  first = sub_group_broadcast(first, 0);
  if (value != 0)
    out[first + before] = value;
}
