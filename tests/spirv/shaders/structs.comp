#version 450
layout(local_size_x = 4) in;
struct Item { vec3 at; uint kind; float weight[2]; bool on; };
struct Packed { uint a; vec2 b; };
layout(std430, binding = 0) buffer In { uint head; Packed items[]; } i;
layout(std430, binding = 1) buffer Out { float r[]; } o;
Item item(uint n) {
  Item x;
  x.at = vec3(i.items[n].b, float(n));
  x.kind = i.items[n].a;
  x.weight[0] = 0.5;
  x.weight[1] = 2.0;
  x.on = (x.kind & 1u) == 1u;
  return x;
}
void flip(inout Item x) { x.on = !x.on; x.weight[x.kind % 2u] *= 3.0; }
void main() {
  uint n = gl_GlobalInvocationID.x;
  Item all[2];
  all[0] = item(n);
  all[1] = all[0];
  flip(all[1]);
  bvec3 same = equal(all[0].at, vec3(1.0, 2.0, 2.0));
  uint k = all[0].kind % 2u;
  o.r[n] = (all[k].on ? all[k].weight[k] : -all[k].weight[1u - k]) + (any(same) ? 100.0 : 0.0)
         + float(i.items.length()) * 1000.0 + float(i.head);
  Packed copy = i.items[n];
  copy.a += 1u;
  i.items[n] = copy;
}
