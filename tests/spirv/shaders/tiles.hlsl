// A product of 8x8 matrices by tiles in groupshared memory.
RWStructuredBuffer<float> C : register(u0);
StructuredBuffer<float> A : register(t1);
StructuredBuffer<float> B : register(t2);
groupshared float TileA[4][4];
groupshared float TileB[4][4];
[numthreads(4, 4, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 own : SV_GroupThreadID) {
    float sum = 0;
    for (uint t = 0; t < 2; ++t) {
        TileA[own.y][own.x] = A[id.y * 8 + t * 4 + own.x];
        TileB[own.y][own.x] = B[(t * 4 + own.y) * 8 + id.x];
        GroupMemoryBarrierWithGroupSync();
        for (uint k = 0; k < 4; ++k) sum += TileA[own.y][k] * TileB[k][own.x];
        GroupMemoryBarrierWithGroupSync();
    }
    C[id.y * 8 + id.x] = sum;
}
