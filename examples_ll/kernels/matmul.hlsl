// A matrix product: each group makes a tile of C from a row of tiles of A and a column of tiles of B.
#define TILE 2
cbuffer Sizes : register(b0) { uint N; };
StructuredBuffer<float> A : register(t0);
StructuredBuffer<float> B : register(t1);
RWStructuredBuffer<float> C : register(u0);
groupshared float As[TILE][TILE], Bs[TILE][TILE];

[numthreads(TILE, TILE, 1)]
void main(uint3 me : SV_GroupThreadID, uint3 id : SV_DispatchThreadID) {
  float sum = 0;
  for (uint t = 0; t < N; t += TILE) {
    As[me.y][me.x] = A[id.y * N + t + me.x];
    Bs[me.y][me.x] = B[(t + me.y) * N + id.x];
    GroupMemoryBarrierWithGroupSync();
    for (uint k = 0; k < TILE; k++)
      sum += As[me.y][k] * Bs[k][me.x];
    GroupMemoryBarrierWithGroupSync();
  }
  C[id.y * N + id.x] = sum;
}
