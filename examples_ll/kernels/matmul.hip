// A matrix product: each block makes a tile of C from a row of tiles of A and a column of tiles of B.
#include "gpu.h"
#define TILE 2

extern "C" __global__ void __launch_bounds__(TILE *TILE)
    matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int x = threadIdx_x, y = threadIdx_y;
  int column = blockIdx_x * TILE + x, row = blockIdx_y * TILE + y;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    as[y][x] = a[row * n + t + x];
    bs[y][x] = b[(t + y) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; k++)
      sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
