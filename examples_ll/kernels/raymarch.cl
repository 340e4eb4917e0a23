// A ray for each column of a landscape: it goes on by the distance that is free, and leaves the loop when it hits.
#define LENGTH 16

kernel void raymarch(global const float *distances, global float *depth, global int *together) {
  uint ray = get_global_id(0);
  float t = 0;
  int last = 0;
  while (t < LENGTH) {
    float free = distances[ray * LENGTH + (int)t];
    if (free < 0.25f)
      break;
    t += free;
    last = sub_group_ballot_bit_count(sub_group_ballot(1));
  }
  depth[ray] = t;
  together[ray] = last;
}
