// Lanes read each other, and number themselves among those that take part.
RWStructuredBuffer<uint> Out : register(u0);
StructuredBuffer<uint> In : register(t1);
[numthreads(16, 1, 1)]
void main(uint n : SV_GroupIndex) {
    uint x = In[n], lane = WaveGetLaneIndex(), r = 0;
    r = WaveReadLaneAt(x, (lane + 3) % WaveGetLaneCount());
    if (x % 3 != 0) {
        uint least = WaveActiveMin(x);
        r += 100 * WavePrefixCountBits(x % 2 == 0) + 1000 * least;
        r += WaveIsFirstLane() ? 1000000 : 0;
        r += 10000000 * WaveReadLaneFirst(lane);
    } else {
        r += WaveActiveBallot(x > 6).x << 16;
    }
    Out[n] = r;
}
