// Floats, vectors and library functions.
RWStructuredBuffer<float> Out : register(u0);
StructuredBuffer<float> In : register(t1);
float curve(float3 v, float t) { return dot(v, v.zyx) * t + length(v) - clamp(v.y, -1.0f, 1.0f); }
[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    float a = In[id.x];
    float3 v = float3(a, a * a, 1.0f - a);
    Out[id.x] = curve(v, frac(a)) + max(floor(a), sqrt(abs(a))) + lerp(a, 2.0f, 0.25f) + (a > 0 ? rcp(a) : -1.0f);
}
