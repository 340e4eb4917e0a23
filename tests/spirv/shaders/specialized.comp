#version 450
// Specialization constants that the workgroup's size, an array and other constants follow from.
layout(local_size_x_id = 0, local_size_y = 2) in;
layout(constant_id = 1) const int N = 3;
layout(constant_id = 2) const float F = 2.0;
layout(constant_id = 3) const bool B = true;
const int M = N * N - 1;
const uint SHIFTED = uint(N) << 2;
layout(set = 0, binding = 0) buffer O { float o[]; };
void main() {
    float a[N];
    for (int i = 0; i < N; i++) a[i] = F * float(i * M);
    uint t = gl_LocalInvocationIndex;
    float s = 0;
    for (int i = 0; i < N; i++) s += a[(i + int(t)) % N] * float(i);
    o[t] = B ? s + float(SHIFTED) : float(gl_WorkGroupSize.x) - s;
}
