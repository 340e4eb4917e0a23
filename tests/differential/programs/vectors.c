#include <stdint.h>
#include <string.h>
#include <math.h>
#define N 96
static float A[N],B[N]; static int32_t I[N]; static uint8_t U[N*4]; static double D[N]; static short S[N]; static uint64_t L[N];
static __attribute__((noinline)) void vec(int n,int k){ for(int i=0;i<n;i++){ A[i]=B[i]*k+A[i]; I[i]=I[i]>k?I[i]-k:I[i]*3; S[i]=(short)(I[i]>>3); L[i]+= (uint64_t)U[i]<<(i&31); } }
static __attribute__((noinline)) int red(int n){ int s=0,m=-100000; unsigned x=0; for(int i=0;i<n;i++){ s+=I[i]*S[i]; m=I[i]>m?I[i]:m; x^=U[i]; } return s^m^x; }
static __attribute__((noinline)) float fred(int n){ float m=-1e30f; double d=0; for(int i=0;i<n;i++){ m=fmaxf(m,A[i]); d+=D[i]; } return m+(float)d; }
static __attribute__((noinline)) void cond(int n){ for(int i=0;i<n;i++){ if(U[i]&1) D[i]=floor(D[i])+sqrt(fabs(D[i])); else if(U[i]&2) D[i]=(double)I[i]/(1+U[i]); } }
static __attribute__((noinline)) void gather(int n){ for(int i=0;i<n;i++) I[i]+=I[U[i]%N]; for(int i=0;i<n;i++) B[i]=(float)L[i]; for(int i=0;i<n;i++) U[i]=__builtin_popcount(I[i])+__builtin_clz(I[i]|1)+(L[i]>>60); }
__int128 big(__int128 a,uint64_t b){ return a*b + (a>>7) - (__int128)b*b; }
typedef int v4 __attribute__((vector_size(16)));
uint64_t run(int seed){
  uint32_t s=seed*747796405u+2891336453u;
  for(int i=0;i<N;i++){ s=s*1664525u+1013904223u; A[i]=(float)(int32_t)s/65536.f; B[i]=(s>>9)*0.5f; I[i]=(int32_t)s>>4; D[i]=(double)(s%1000)-500.25; S[i]=s>>7; L[i]=(uint64_t)s*s; for(int j=0;j<4;j++)U[i*4+j]=s>>(j*8); }
  uint64_t h=0;
  for(int r=1;r<4;r++){ vec(N-r,r); h=h*31+(uint32_t)red(N-r*3); cond(N-r*5); float f=fred(N-r); uint32_t u; memcpy(&u,&f,4); h=h*31+u; gather(N-2*r); 
    __int128 b=big((__int128)h<<20|s, h|1); h^=(uint64_t)(b>>64)^(uint64_t)b; v4 x={I[0],I[1],I[2],I[3]}, y={r,2,3,4}; x=x*y+(x<<(y&7))-(x>y); v4 z=__builtin_shufflevector(x,y,3,5,0,6); h+= (uint32_t)z[0]^z[1]^z[2]^z[3]; 
    h += __builtin_bswap64(h) ^ __builtin_rotateleft64(h,r*7); int o; if(__builtin_smul_overflow(I[r],I[r+1],&o)) h++; h^=(uint32_t)o; }
  for(int i=0;i<N;i++){ uint64_t d; memcpy(&d,&D[i],8); h=h*1099511628211ull+d; uint32_t f; memcpy(&f,&A[i],4); h^=f; h+=S[i]; }
  return h;
}
