#version 450
// Matrices whose rows lie one after the other, beside some whose columns do, with strides of both kinds.
layout(local_size_x = 4) in;
struct Inner { mat3x2 a; float z; };
layout(set = 0, binding = 0, std430, row_major) buffer I {
    mat3 m; layout(column_major) mat2x3 c; mat4x3 several[2]; Inner s;
};
layout(set = 0, binding = 1, std140, row_major) buffer J { mat2x3 pair[2]; Inner t; mat3 inverted; };
layout(set = 0, binding = 2) buffer O { float o[]; };
void main() {
    uint n = gl_LocalInvocationIndex, at = n * 12;
    vec3 v = m[n % 3];
    o[at] = v.x; o[at + 1] = v.y; o[at + 2] = v.z;
    o[at + 3] = m[n % 3][(n + 1) % 3];
    mat4x3 whole = several[n & 1];
    o[at + 4] = whole[n][2];
    o[at + 5] = several[n & 1][2].y;
    v = c * vec2(n, 1);
    o[at + 6] = v.x; o[at + 7] = v.z;
    Inner copy = s;
    o[at + 8] = copy.a[2].y + copy.a[0].x;
    o[at + 9] = copy.z;
    o[at + 10] = determinant(mat3(v, vec3(0, n + 1, 0), vec3(1, 2, n)));
    o[at + 11] = determinant(mat2(whole[0].xy, whole[1].xz));
    if (n == 0) {
        pair[1] = mat2x3(1, 2, 3, 4, 5, 6);
        pair[0][1] = vec3(7, 8, 9);
        pair[0][0][2] = 5;
        t = copy;
        inverted = inverse(mat3(2, 0, 1, 0, 4, 0, 1, 0, 1));
    }
}
