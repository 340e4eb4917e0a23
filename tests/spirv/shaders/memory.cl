typedef struct { float4 a; char c[3]; long l; } S;
kernel void f(global S* s, global float* out, constant int* k, local float* tmp, float scale, int n) {
  int i = get_global_id(0), l = get_local_id(0);
  S x = s[i];
  float4 v = x.a * scale;
  tmp[l] = dot(v, (float4)(1, 2, 3, 4)) + convert_float(x.c[i % 3]);
  barrier(CLK_LOCAL_MEM_FENCE);
  float acc = 0;
  for (int j = 0; j < n; j++) { if (j == l) continue; if (j > 5) goto done; acc += tmp[j] * k[j & 1]; }
done:
  s[i].l = x.l * 2 + popcount(x.c[0]) + clamp(i, 1, 2) + (long)mad_hi(i, 1 << 30, 4) + max((uchar)x.c[1], (uchar)200);
  s[i].a = select(v, -v, isless(v, (float4)(2.0f)));
  out[i] = acc + fmin(sqrt(acc * acc), 1e6f) + work_group_reduce_add(l);
  vstore3((float3)(acc, 1, 2), i, out + get_global_size(0));
}
