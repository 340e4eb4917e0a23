#version 450
// Equal keys are counted and ranked in a loop that a key leaves each round; the odd ones are compacted.
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer I { uint v[]; };
layout(set = 0, binding = 1) buffer O { uint n; uint o[]; };
layout(set = 0, binding = 2) buffer R { uint r[]; };
void main() {
    uint t = gl_LocalInvocationIndex, key = v[t], rank = 0, total = 0, rounds = 0;
    for (;;) {
        rounds++;
        uint first = subgroupBroadcastFirst(key);
        if (first == key) {
            total = subgroupAdd(1u);
            rank = subgroupExclusiveAdd(1u);
            break;
        }
    }
    r[t] = total * 10000 + rank * 100 + rounds;
    if (key % 2 == 1) {
        uvec4 taking = subgroupBallot(true);
        uint base;
        if (subgroupElect()) base = atomicAdd(n, subgroupBallotBitCount(taking));
        base = subgroupBroadcastFirst(base);
        o[base + subgroupBallotExclusiveBitCount(taking)] = key;
    }
}
