// The sum of the wave, in every lane: each round reads the lane whose number differs in one bit.
StructuredBuffer<int> In : register(t0);
RWStructuredBuffer<int> Out : register(u0);

[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  int sum = In[id.x];
  for (uint bit = 1; bit < WaveGetLaneCount(); bit <<= 1)
    sum += WaveReadLaneAt(sum, WaveGetLaneIndex() ^ bit);
  Out[id.x] = sum;
}
