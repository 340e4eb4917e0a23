// Inclusive prefix sums of each group's elements, after Hillis and Steele, between two halves of one array.
StructuredBuffer<int> In : register(t0);
RWStructuredBuffer<int> Out : register(u0);
groupshared int Tile[2][16];

[numthreads(16, 1, 1)]
void main(uint me : SV_GroupIndex, uint3 id : SV_DispatchThreadID) {
  uint half_ = 0;
  Tile[0][me] = In[id.x];
  GroupMemoryBarrierWithGroupSync();
  for (uint distance = 1; distance < 16; distance <<= 1) {
    int sum = Tile[half_][me];
    if (me >= distance)
      sum += Tile[half_][me - distance];
    half_ = 1 - half_;
    Tile[half_][me] = sum;
    GroupMemoryBarrierWithGroupSync();
  }
  Out[id.x] = Tile[half_][me];
}
