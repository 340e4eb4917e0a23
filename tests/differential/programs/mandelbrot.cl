// How many steps each point takes to leave the circle; without contraction all of it is exactly specified.
#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global int *out, float scale, int limit) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
  float cr = x * scale - 2, ci = y * scale - 1.25f, r = 0, i = 0;
  int n = 0;
  while (r * r + i * i <= 4 && n < limit) {
    float t = r * r - i * i + cr;
    i = 2 * r * i + ci;
    r = t;
    n++;
  }
  out[y * w + x] = n;
}
