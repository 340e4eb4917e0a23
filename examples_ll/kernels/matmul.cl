// A matrix product: each workgroup makes a tile of C from a row of tiles of A and a column of tiles of B.
#define TILE 2

__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void matmul(global const float *a, global const float *b, global float *c, int n) {
  local float as[TILE][TILE], bs[TILE][TILE];
  int x = get_local_id(0), y = get_local_id(1);
  int column = get_group_id(0) * TILE + x, row = get_group_id(1) * TILE + y;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    as[y][x] = a[row * n + t + x];
    bs[y][x] = b[(t + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k++)
      sum += as[y][k] * bs[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
