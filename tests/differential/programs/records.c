#include <stdint.h>
#include <string.h>
typedef struct { uint8_t tag; int16_t v[5]; double d; struct {uint32_t a:5, b:11, c:16;} bf; float f; const char *name; } Rec;
static Rec recs[6]; static const char *names[] = {"alpha","beta","gamma"};
static uint32_t K[64]; 
static uint32_t rotr(uint32_t x,int n){return (x>>n)|(x<<(32-n));}
static int cmp(const Rec*a,const Rec*b){ return a->d<b->d?-1:a->d>b->d; }
static void sort(Rec*r,int n,int(*c)(const Rec*,const Rec*)){ for(int i=1;i<n;i++){ Rec t=r[i]; int j=i; while(j>0&&c(&t,&r[j-1])<0){ r[j]=r[j-1]; j--; } r[j]=t; } }
static int fib(int n){return n<2?n:fib(n-1)+fib(n-2);}
union U {float f; uint32_t u; uint8_t b[4];};
uint64_t run(int seed){
  uint64_t h=1469598103934665603ull; uint32_t s=seed*2654435761u+1;
  for(int i=0;i<64;i++){ s^=s<<13; s^=s>>17; s^=s<<5; K[i]=s; }
  for(int i=0;i<6;i++){ Rec*r=&recs[i]; memset(r,0,sizeof *r); r->tag=K[i]; for(int j=0;j<5;j++) r->v[j]=(int16_t)(K[i+j]>>j); r->d=(double)(int32_t)K[i+7]/3.0; r->bf.a=K[i]; r->bf.b=K[i]>>5; r->bf.c=K[i]>>16; r->f=(float)K[i+9]*0.37f; r->name=names[i%3]; }
  sort(recs,6,cmp);
  for(int i=0;i<6;i++){ Rec*r=&recs[i]; h=(h^r->tag)*1099511628211ull; for(int j=0;j<5;j++) h=(h^(uint16_t)r->v[j])*1099511628211ull; uint64_t d; memcpy(&d,&r->d,8); h=(h^d)*1099511628211ull; h=(h^r->bf.b)*1099511628211ull; union U u; u.f=r->f; h=(h^u.b[0]^(u.b[3]<<8))*1099511628211ull; h^=r->name[i%4]; }
  for(int i=0;i<64;i++){ h^= rotr(K[i], (i*7)%31+1); h = h*31 + (int64_t)(int32_t)K[i] % 1000 + K[i]/((K[63-i]&255)+1); 
     switch(K[i]%7){case 0:h+=3;break;case 1:h^=K[i];break;case 3:h-=fib(K[i]%9);break;default:h+=i;} }
  char buf[40]; int n=0; uint64_t t=h; do { buf[n++]='0'+t%10; t/=10; } while(t); memmove(buf+3,buf,n); for(int i=0;i<n+3&&i<40;i++) if(i>=3||i<n) h=h*33+buf[i];
  float acc=0; for(int i=0;i<64;i++) acc += (float)K[i]/(i+1); int r = acc > 1e6f ? (int)(acc/1e5f) : -1; __builtin_memcpy(&s,&acc,4);
  return h ^ s ^ (uint64_t)r<<40;
}
