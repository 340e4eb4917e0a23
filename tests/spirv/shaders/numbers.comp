#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
layout(local_size_x = 4) in;
layout(binding = 0) buffer In { float f[4]; int s[4]; };
layout(binding = 1) buffer Out { float r[4][12]; int q[4][16]; };
void main() {
  uint t = gl_LocalInvocationIndex;
  float x = f[t];
  int y = s[t];
  r[t][0] = floor(x) + ceil(x) * 10.0; r[t][1] = fract(x); r[t][2] = mod(x, 3.0); r[t][3] = sign(x);
  r[t][4] = clamp(x, -1.0, 1.5); r[t][5] = mix(x, 2.0, 0.25); r[t][6] = step(0.5, x);
  r[t][7] = sqrt(abs(x)); r[t][8] = length(vec3(x, 3.0, 4.0)); r[t][9] = min(x, 1.0) - max(x, 2.0);
  float whole; r[t][10] = modf(x, whole) + whole * 100.0;
  r[t][11] = float(float16_t(x)) + round(x);
  uint c, high, low; c = 0u;
  uint b = uaddCarry(uint(y), 0xfffffff0u, c);
  umulExtended(uint(y), 0x10001u, high, low);
  q[t][0] = y / 3; q[t][1] = y % 3; q[t][2] = y >> 2; q[t][3] = int(uint(y) >> 28); q[t][4] = abs(y);
  q[t][5] = bitfieldExtract(y, 4, 6); q[t][6] = int(bitfieldExtract(uint(y), 4, 6));
  q[t][7] = bitfieldInsert(0, y, 8, 5); q[t][8] = bitCount(y); q[t][9] = findMSB(y); q[t][10] = findLSB(y);
  q[t][11] = bitfieldReverse(y); q[t][12] = int(b ^ c); q[t][13] = int(high); q[t][14] = int(low);
  q[t][15] = int(int8_t(y)) + int(uint16_t(y)) + int(int64_t(y) * 5l >> 33) + floatBitsToInt(x) % 7;
}
