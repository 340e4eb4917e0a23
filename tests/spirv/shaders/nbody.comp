#version 450
layout(local_size_x = 4) in;
struct Body { vec4 at; vec4 speed; };
layout(std430, binding = 0) readonly buffer In { Body bodies[]; } i;
layout(std430, binding = 1) writeonly buffer Out { Body bodies[]; } o;
shared vec4 tile[4];
void main() {
  uint g = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
  Body me = i.bodies[g];
  vec3 pull = vec3(0.0);
  for (uint t = 0; t < gl_NumWorkGroups.x; ++t) {
    tile[l] = i.bodies[t * 4u + l].at;
    barrier();
    for (uint k = 0; k < 4u; ++k) {
      vec3 d = tile[k].xyz - me.at.xyz;
      float r = dot(d, d) + 0.25;
      pull += d * (tile[k].w / (r * sqrt(r)));
    }
    barrier();
  }
  me.speed.xyz += pull * 0.5;
  me.at.xyz += me.speed.xyz * 0.5;
  o.bodies[g] = me;
}
