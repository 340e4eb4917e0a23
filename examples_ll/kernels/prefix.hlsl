// Prefix sums within the wave: clang's HLSL has no WavePrefixSum yet, so lanes read from lower lanes.
StructuredBuffer<int> In : register(t0);
RWStructuredBuffer<int> Out : register(u0);

[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  int sum = In[id.x];
  uint lane = WaveGetLaneIndex();
  for (uint distance = 1; distance < WaveGetLaneCount(); distance <<= 1) {
    int before = WaveReadLaneAt(sum, lane >= distance ? lane - distance : lane);
    sum += lane >= distance ? before : 0;
  }
  Out[id.x] = sum;
}
