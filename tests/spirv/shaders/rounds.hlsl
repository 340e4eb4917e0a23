// A switch in a loop, and continue.
RWStructuredBuffer<uint> Out : register(u0);
StructuredBuffer<uint> In : register(t1);
[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint x = In[id.x], r = 0;
    for (uint i = 0; i < 5; ++i) {
        if ((x + i) % 3 == 0) { r += WaveActiveCountBits(true); continue; }
        r = r * 3 + WaveActiveMax(x + i);
    }
    Out[id.x] = r;
}
