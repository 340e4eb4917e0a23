// Sums by halves in groupshared memory.
RWStructuredBuffer<uint> Out : register(u0);
StructuredBuffer<uint> In : register(t1);
groupshared uint Tile[16];
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint n : SV_GroupIndex, uint3 group : SV_GroupID) {
    Tile[n] = In[id.x];
    GroupMemoryBarrierWithGroupSync();
    for (uint half_ = 8; half_ > 0; half_ /= 2) {
        if (n < half_) Tile[n] += Tile[n + half_];
        GroupMemoryBarrierWithGroupSync();
    }
    if (n == 0) Out[group.x] = Tile[0];
}
