// A picture of four channels, weighed over three by three pixels; threads outside of it leave at once.
constant float weights[9] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f};

kernel void blur(global const uchar4 *in, global uchar4 *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h)
    return;
  float4 sum = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) {
      int column = clamp(x + i, 0, w - 1), row = clamp(y + j, 0, h - 1);
      sum += weights[(j + 1) * 3 + i + 1] * convert_float4(in[row * w + column]);
    }
  out[y * w + x] = convert_uchar4_sat_rte(sum);
}
