// Functions with a second result, halves in memory, and a structure that is passed by value.
struct Pair { int a; float2 b; char c[3]; };

__attribute__((noinline)) int chosen(struct Pair p, int k) {
    switch (k) {
    case 0: return p.a;
    case 1: p.a *= 2;
    case 2: return p.a + p.c[1];
    default: return (int)p.b.y + k;
    }
}

kernel void f(global float *a, global float *o, global half *h, global int *s) {
    size_t i = get_global_id(0);
    float whole, m, c;
    int e, q;
    float4 v = vload_half4(i, h);
    o[i * 8] = fract(a[i], &whole) + whole * 10;
    o[i * 8 + 1] = modf(a[i], &m) + m * 10;
    o[i * 8 + 2] = sincos(a[i], &c);
    o[i * 8 + 3] = c + frexp(a[i], &e);
    o[i * 8 + 4] = e + remquo(a[i], 0.75f, &q);
    o[i * 8 + 5] = q + vload_half(i + 3, h);
    float2 parts;
    float2 rest = modf(v.xy, &parts);
    o[i * 8 + 6] = rest.x + parts.y;
    o[i * 8 + 7] = dot(v, v.wzyx);
    barrier(CLK_GLOBAL_MEM_FENCE);
    vstore_half4_rtz(v * 0.3f, i, h);
    struct Pair p = {(int)i * 100, (float2)(1, 7), {1, 2, 3}};
    s[i] = chosen(p, s[i]);
}
