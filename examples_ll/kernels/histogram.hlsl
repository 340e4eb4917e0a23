// How often each value is there. clang's HLSL has no Interlocked functions yet: each wave votes on every bin.
#define BINS 8
StructuredBuffer<uint> In : register(t0);
RWStructuredBuffer<uint> Counts : register(u0);

[numthreads(16, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 id : SV_DispatchThreadID) {
  uint value = In[id.x] % BINS;
  for (uint bin = 0; bin < BINS; bin++) {
    uint count = WaveActiveCountBits(value == bin);
    if (WaveIsFirstLane())
      Counts[group.x * BINS + bin] = count;
  }
}
