// Sums of checks over bytes, in integers of 8, 16, 32 and 64 bits, with rotations and high halves of products.
kernel void crc(global const uchar *in, global ulong *out, uint size) {
  uint id = get_global_id(0);
  uint crc = ~0u;
  ulong mixed = id;
  short sum = 0;
  for (uint i = 0; i < size; i++) {
    uchar byte = in[id * size + i];
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    mixed = rotate(mixed, (ulong)7) * 0x9e3779b97f4a7c15ul + mul_hi(crc, (uint)byte << 24);
    sum = add_sat(sum, (short)((char)byte * 257));
  }
  out[id] = mixed ^ (ulong)(~crc) << 32 ^ (ushort)sum ^ popcount(crc) ^ clz(crc);
}
