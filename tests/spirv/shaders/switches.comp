#version 450
layout(local_size_x = 12) in;
layout(binding = 0) buffer Out { int r[]; };
int f(int x) {
  int a = 0;
  switch (x % 6) {
    case 0: a = 1;
    case 1: a += 10; break;
    case 2: return -2;
    case 3:
    case 4: for (int i = 0; i < x; ++i) { if (i == 3) break; a += i; } break;
    default: a = 7;
  }
  return a * 2;
}
void main() { int t = int(gl_LocalInvocationIndex); r[t] = f(t) + (f(t + 1) << 8); }
