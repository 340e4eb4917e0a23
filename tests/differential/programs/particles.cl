// An array of structures, with vectors in them, moved and counted.
typedef struct {
  float2 place, speed;
  int alive;
  uchar kind;
} Particle;

kernel void particles(global Particle *all, global int *counts, float dt) {
  Particle mine = all[get_global_id(0)];
  if (!mine.alive)
    return;
  mine.place += mine.speed * dt;
  if (any(isgreater(fabs(mine.place), (float2)(4.0f, 2.0f))))
    mine.alive = 0;
  else
    atomic_inc(&counts[mine.kind]);
  all[get_global_id(0)] = mine;
}
