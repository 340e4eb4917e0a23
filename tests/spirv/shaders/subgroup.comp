#version 450
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_shuffle_relative : enable
#extension GL_KHR_shader_subgroup_clustered : enable
#extension GL_KHR_shader_subgroup_quad : enable
layout(local_size_x = 16) in;
layout(binding = 0) buffer Out { uint r[16][16]; };
void main() {
  uint l = gl_SubgroupInvocationID, t = gl_LocalInvocationIndex;
  uint n = 0;
  r[t][n++] = subgroupAdd(t);
  r[t][n++] = subgroupInclusiveMul((t & 1u) + 1u);
  r[t][n++] = subgroupExclusiveAdd(t);
  r[t][n++] = subgroupClusteredMax(t ^ 5u, 4u);
  r[t][n++] = subgroupBallot(t % 3u == 0u).x;
  r[t][n++] = subgroupBallotBitCount(subgroupBallot(t > 3u));
  r[t][n++] = subgroupShuffle(t, l ^ 3u);
  r[t][n++] = subgroupShuffleXor(t, 1u);
  r[t][n++] = l < 7u ? subgroupShuffleDown(t, 1u) : 77u;
  r[t][n++] = subgroupBroadcast(t, 2u);
  r[t][n++] = uint(subgroupAll(t < 8u)) + 2u * uint(subgroupAny(t == 9u)) + 4u * uint(subgroupAllEqual(t / 8u));
  r[t][n++] = subgroupQuadSwapDiagonal(t);
  r[t][n++] = gl_SubgroupEqMask.x | gl_SubgroupLtMask.x << 8 | gl_SubgroupGeMask.x << 16;
  r[t][n++] = gl_SubgroupSize * 100u + gl_NumSubgroups * 10u + gl_SubgroupID;
  r[t][n++] = uint(subgroupElect()) + subgroupBroadcastFirst(t) * 10u;
  r[t][n++] = uint(subgroupMin(vec2(t, 100.0 - float(t))).y);
}
