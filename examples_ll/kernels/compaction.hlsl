// Keeps the elements that are not zero: a ballot of the wave says how many are before mine.
StructuredBuffer<int> In : register(t0);
RWStructuredBuffer<int> Out : register(u0);
RWStructuredBuffer<uint> Size : register(u1);

[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  int value = In[id.x];
  uint keep = WaveActiveBallot(value != 0).x;
  uint before = countbits(keep & ((1u << WaveGetLaneIndex()) - 1));
  if (value != 0)
    Out[before] = value;
  if (WaveIsFirstLane())
    Size[0] = countbits(keep);
}
