#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void f(global const float4* a, global float* o, global ulong* q, int n) {
  size_t i = get_global_id(0);
  float3 x = a[i].xyz; float len = length(x);
  float m[3][2]; for (int r = 0; r < 3; r++) for (int c = 0; c < 2; c++) m[r][c] = r * 2 + c + x.s0;
  float t = 0; int k = n;
  do { t += m[k % 3][k & 1]; if (t > 40) break; switch (k & 3) { case 0: k -= 2; break; case 1: t *= 1.5f; default: k--; } } while (k > 0);
  o[i] = t + floor(len) + mix(1.0f, 2.0f, 0.25f) + native_recip(4.0f) + (float)(int)fabs(x.y) + fmax(x.x, x.z) + ldexp(0.5f, 3) + sub_group_scan_exclusive_add((int)i) + sub_group_broadcast((int)i, 2);
  q[i] = (ulong)i << 40 | upsample((uint)i, 7u) ^ clz((uint)i) ^ (ulong)mul_hi(1u << 31, (uint)i) ^ hadd((uint)i, 5u) ^ add_sat((uint)i, 0xfffffffeu);
}
