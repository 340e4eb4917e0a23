// Lanes read each other in one branch.
RWStructuredBuffer<uint> Out : register(u0);
StructuredBuffer<uint> In : register(t1);
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint x = In[id.x], r = WaveReadLaneAt(x, 3);
    if (x > 5) r += 100 * WaveActiveSum(1u) + (WaveIsFirstLane() ? 5000 : 0);
    else r += 10000 * WaveActiveMax(x);
    Out[id.x] = r;
}
