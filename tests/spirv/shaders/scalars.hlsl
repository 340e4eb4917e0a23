// 64-bit integers, shifts, conversions and bit counts.
RWStructuredBuffer<uint2> Out : register(u0);
StructuredBuffer<int> In : register(t1);
[numthreads(8, 1, 1)]
void main(uint n : SV_GroupIndex) {
    int x = In[n];
    uint u = asuint(float(x) * 0.25f);
    uint c = countbits(u) + firstbithigh(uint(abs(x)) + 1) * 100 + (reversebits(u) >> 28) * 10000;
    uint d = uint(x >> 2) ^ (uint(x) << (n & 7));
    Out[n] = uint2(c + (x < 0 ? 1u << 30 : 0), d + uint(max(min(x, 50), -50) + 60));
}
