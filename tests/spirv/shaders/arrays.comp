#version 450
// Arrays of buffers have one binding each; the next binding is another buffer's.
#extension GL_EXT_nonuniform_qualifier : enable
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Several { uint n; uint d[]; } several[3];
layout(set = 0, binding = 1) buffer O { uint o[]; };
layout(set = 0, binding = 2) uniform Pair { uvec4 k[2]; } pair[2];
void main() {
    uint t = gl_LocalInvocationIndex, sum = 0;
    for (uint i = 0; i < 3; i++) {
        uint at = (i + t) % 3;
        sum += several[nonuniformEXT(at)].d[t % several[nonuniformEXT(at)].n] * (i + 1);
    }
    several[t % 3].d[4 + t / 3] = t;
    o[t] = sum + pair[t & 1].k[t >> 1 & 1][t & 3] + 1000 * several[2].d.length();
}
