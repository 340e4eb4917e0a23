// A constant buffer, a matrix, and static variables.
cbuffer K : register(b0) { float4x4 M; float3 v; uint rounds; float w[3]; };
RWStructuredBuffer<float> Out : register(u1);
static float total = 0;
float4 turned(float4 x) { total += x.x; return mul(M, x); }
[numthreads(4, 1, 1)]
void main(uint n : SV_GroupIndex) {
    float4 x = float4(v, n);
    for (uint i = 0; i < rounds; ++i) x = turned(x) * 0.5;
    Out[n] = x.y + w[n % 3] + total;
}
