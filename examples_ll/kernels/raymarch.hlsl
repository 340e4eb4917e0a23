// A ray for each column of a landscape: it goes on by the distance that is free, and leaves the loop when it hits.
#define LENGTH 16
StructuredBuffer<float> Distances : register(t0);
RWStructuredBuffer<float> Depth : register(u0);
RWStructuredBuffer<uint> Together : register(u1);

[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  float t = 0;
  uint last = 0;
  while (t < LENGTH) {
    float unobstructed = Distances[id.x * LENGTH + (uint)t];
    if (unobstructed < 0.25)
      break;
    t += unobstructed;
    last = WaveActiveCountBits(true);
  }
  Depth[id.x] = t;
  Together[id.x] = last;
}
