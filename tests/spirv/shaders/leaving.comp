#version 450
// Threads return from a divergent loop, in main and in functions that it calls.
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer I { uint v[]; };
layout(set = 0, binding = 1) buffer O { uint o[]; };
uint inner(inout uint kept[2], uint k) {
    if (k > 4) { kept[k & 1] += k; return subgroupAdd(k); }
    for (uint i = 0; i < 3; i++) if (i == k) return 100 * i + subgroupMax(k);
    return 7;
}
void main() {
    uint t = gl_LocalInvocationIndex, acc = 0;
    uint kept[2] = uint[2](0, 0);
    for (uint i = 0; i < 6; i++) {
        if (v[t] == i) { o[t] = acc; return; }
        acc += inner(kept, (v[t] + i) % 7);
        if ((v[t] + i) % 9 == 4) { o[t] = acc | 0x80000000u; return; }
    }
    o[t] = acc + kept[0] * 1000 + kept[1] * 10000 + subgroupBallotBitCount(subgroupBallot(true)) * 1000000;
}
