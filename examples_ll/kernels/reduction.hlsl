// Each group adds its elements in a tree, through groupshared memory.
StructuredBuffer<float> In : register(t0);
RWStructuredBuffer<float> Out : register(u0);
groupshared float Tile[16];

[numthreads(16, 1, 1)]
void main(uint3 group : SV_GroupID, uint me : SV_GroupIndex, uint3 id : SV_DispatchThreadID) {
  Tile[me] = In[id.x];
  GroupMemoryBarrierWithGroupSync();
  for (uint stride = 8; stride > 0; stride >>= 1) {
    if (me < stride)
      Tile[me] += Tile[me + stride];
    GroupMemoryBarrierWithGroupSync();
  }
  if (me == 0)
    Out[group.x] = Tile[0];
}
