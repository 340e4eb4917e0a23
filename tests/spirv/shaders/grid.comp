#version 450
layout(local_size_x = 4, local_size_y = 2, local_size_z = 2) in;
layout(binding = 3, set = 2) buffer Out { uvec3 id; uint n; } o[1];
layout(binding = 0) buffer R { uint r[]; };
void main() {
  uvec3 g = gl_GlobalInvocationID, s = gl_NumWorkGroups * gl_WorkGroupSize;
  r[(g.z * s.y + g.y) * s.x + g.x] = gl_LocalInvocationIndex + gl_WorkGroupID.x * 100u + gl_WorkGroupID.y * 1000u;
  if (all(equal(g, s - 1u))) { o[0].id = g; o[0].n = uint(o.length()); }
}
