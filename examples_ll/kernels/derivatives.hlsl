// How a picture changes from pixel to pixel, within quads of two by two.
StructuredBuffer<float> In : register(t0);
RWStructuredBuffer<float> Fine : register(u0);
RWStructuredBuffer<float> Coarse : register(u1);

[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  float mine = In[id.x];
  Fine[2 * id.x] = ddx_fine(mine);
  Fine[2 * id.x + 1] = ddy_fine(mine);
  Coarse[2 * id.x] = ddx_coarse(mine);
  Coarse[2 * id.x + 1] = ddy_coarse(mine);
}
