// Nested loops with a break, and a function with early returns.
RWStructuredBuffer<int> Out : register(u0);
StructuredBuffer<int> In : register(t1);
int steps(int x) { for (int i = 0; i < 20; ++i) { if (x == 1) return i; x = (x & 1) != 0 ? 3 * x + 1 : x / 2; } return -1; }
[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    int x = In[id.x], s = 0;
    for (int i = 1; i <= 3; ++i) for (int j = 0; j < i; ++j) { if (j == x % 3) break; s += i * j + x; }
    Out[id.x] = steps(x + 1) * 1000 + s;
}
