// How a picture changes from pixel to pixel, within quads of two by two: DPP permutes each four lanes.
#include "gpu.h"

#define QUAD(value, a, b, c, d)                                                                    \
  __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(__builtin_bit_cast(int, value),               \
                                                     a | b << 2 | c << 4 | d << 6, 15, 15, true))

extern "C" __global__ void derivatives(const float *in, float *dx, float *dy) {
  uint id = blockIdx_x * blockDim_x + threadIdx_x;
  float mine = in[id];
  dx[id] = QUAD(mine, 1, 1, 3, 3) - QUAD(mine, 0, 0, 2, 2);
  dy[id] = QUAD(mine, 2, 3, 2, 3) - QUAD(mine, 0, 1, 0, 1);
}
