// Subgroup operations in a divergent loop that some threads leave early.
RWStructuredBuffer<uint> Out : register(u0);
StructuredBuffer<uint> In : register(t1);
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint x = In[id.x], s = 0;
    for (uint i = 0; i < x % 4 + 1; ++i) {
        s += WaveActiveSum(x + i);
        if (WaveActiveAnyTrue(s > 150)) break;
        s ^= WaveActiveMax(x) << 4;
    }
    Out[id.x] = s + 1000 * WaveActiveCountBits(x > 4);
}
