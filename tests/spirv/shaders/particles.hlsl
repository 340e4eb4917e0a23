// Structures in buffers, a function with out parameters, early returns and a switch.
struct Particle { float3 at; uint kind; float2 speed; };
RWStructuredBuffer<Particle> P : register(u0);
float step(inout Particle p, float t, out uint moved) {
    moved = 0;
    if (p.kind == 0) return 0;
    p.at.xy += p.speed * t;
    moved = p.kind;
    switch (p.kind) {
    case 1: p.at.z += 1; break;
    case 2: p.at.z *= 2; return -1;
    case 3:
    default: p.at.z -= t; moved += 10; break;
    }
    return dot(p.at, float3(1, 2, 3));
}
[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    Particle p = P[id.x];
    uint moved;
    float d = step(p, 0.5, moved);
    p.speed.x = d;
    p.kind = moved;
    P[id.x] = p;
}
