// Two loops that each thread leaves in its own time, and ballots inside: who is still here?

kernel void nested(global const int *outer, global const int *inner, global int *out) {
  uint id = get_global_id(0);
  int votes = 0;
  for (int i = 0; i < outer[id]; i++) {
    for (int j = 0; j < inner[id]; j++)
      votes += sub_group_ballot_bit_count(sub_group_ballot(1));
    votes += 100 * sub_group_ballot_bit_count(sub_group_ballot(i % 2 == 0));
  }
  out[id] = votes;
}
