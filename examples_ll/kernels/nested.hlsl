// Two loops that each thread leaves in its own time, and ballots inside: who is still here?
StructuredBuffer<int> Outer : register(t0);
StructuredBuffer<int> Inner : register(t1);
RWStructuredBuffer<int> Out : register(u0);

[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  int votes = 0;
  for (int i = 0; i < Outer[id.x]; i++) {
    for (int j = 0; j < Inner[id.x]; j++)
      votes += (int)WaveActiveCountBits(true);
    votes += 100 * (int)WaveActiveCountBits(i % 2 == 0);
  }
  Out[id.x] = votes;
}
