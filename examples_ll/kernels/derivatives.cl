// How a picture changes from pixel to pixel, within quads of two by two: lanes 0 1 above 2 3.

kernel void derivatives(global const float *in, global float *dx, global float *dy) {
  uint id = get_global_id(0), lane = get_sub_group_local_id();
  float mine = in[id];
  float across = sub_group_shuffle_xor(mine, 1), down = sub_group_shuffle_xor(mine, 2);
  dx[id] = lane & 1 ? mine - across : across - mine;
  dy[id] = lane & 2 ? mine - down : down - mine;
}
