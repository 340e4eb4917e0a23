// Sorts each group's elements in groupshared memory.
RWStructuredBuffer<uint> Data : register(u0);
groupshared uint Tile[16];

[numthreads(16, 1, 1)]
void main(uint me : SV_GroupIndex, uint3 id : SV_DispatchThreadID) {
  Tile[me] = Data[id.x];
  GroupMemoryBarrierWithGroupSync();
  for (uint size = 2; size <= 16; size <<= 1)
    for (uint stride = size >> 1; stride > 0; stride >>= 1) {
      uint other = me ^ stride;
      uint mine = Tile[me], its = Tile[other];
      GroupMemoryBarrierWithGroupSync();
      bool low = ((me & size) == 0) == (me < other);
      Tile[me] = low ? min(mine, its) : max(mine, its);
      GroupMemoryBarrierWithGroupSync();
    }
  Data[id.x] = Tile[me];
}
