// Atomic operations on a buffer and on groupshared memory.
RWStructuredBuffer<uint> Bins : register(u0);
StructuredBuffer<uint> In : register(t1);
groupshared uint Local[4];
groupshared uint Most;
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint n : SV_GroupIndex) {
    if (n < 4) Local[n] = 0;
    if (n == 0) Most = 0;
    GroupMemoryBarrierWithGroupSync();
    uint x = In[id.x];
    InterlockedAdd(Local[x & 3], x);
    InterlockedMax(Most, x);
    GroupMemoryBarrierWithGroupSync();
    if (n < 4) InterlockedAdd(Bins[n], Local[n]);
    if (n == 0) InterlockedMax(Bins[4], Most);
}
