#include <stdint.h>
#include <string.h>
#include <stdatomic.h>
#include <complex.h>
static _Thread_local int tl=5; static _Atomic int at; static _Atomic long long al; static _Atomic(float) af;
typedef int (*fp)(int,int); static int add(int a,int b){return a+b;} static int sub(int a,int b){return a-b;} static int mul(int a,int b){return a*b;}
static fp table[]={add,sub,mul}; struct Node{struct Node*next;int v; void*self;};
static __attribute__((noinline)) long double ld(long double x,int n){ long double s=0; for(int i=1;i<=n;i++) s+=x/i-(long double)i*0.25L; return s; }
static __attribute__((noinline)) _Float16 hf(_Float16 x,int n){ for(int i=0;i<n;i++) x=x*(_Float16)0.75+(_Float16)i; return x; }
static __attribute__((noinline)) int vla(int n){ int a[n]; for(int i=0;i<n;i++)a[i]=i*i; int s=0; for(int i=n-1;i>=0;i--)s=s*3+a[i]; return s; }
static __attribute__((noinline)) struct Node* rev(struct Node*n){ struct Node*r=0; while(n){struct Node*t=n->next;n->next=r;r=n;n=t;} return r; }
static __attribute__((noinline)) unsigned __int128 divs(unsigned __int128 a, unsigned __int128 b){ return a/b + a%b; }
static __attribute__((noinline)) int sw(int x){ switch(x){case 1:return 7;case 2:return 9;case 5 ... 9:return x*2;case -3:return 1;default:return 0;} }
static __attribute__((noinline)) int sp(const char*s){ static void*l[]={&&a,&&b,&&c}; int r=0; int i=0; again: if(!s[i]) return r; goto *l[s[i++]%3]; a: r+=1; goto again; b: r=r*2; goto again; c: r^=5; goto again; }
struct S { int a; char b[3]; double c; }; static __attribute__((noinline)) struct S mk(int x){ struct S s={x,{x,x>>1,x>>2},x*0.5}; return s; }
struct Big{long v[6];}; static __attribute__((noinline)) long byv(struct Big b){ b.v[2]+=3; return b.v[0]+b.v[2]*b.v[5]; }
uint64_t run(int seed){
  tl=5;at=0;al=0;af=0; uint64_t h=seed; struct Node n[8]; for(int i=0;i<8;i++){n[i].next=i<7?&n[i+1]:0;n[i].v=i*seed;n[i].self=&n[(i*3)%8];}
  struct Node*p=rev(n); for(struct Node*q=p;q;q=q->next) h=h*31+((struct Node*)q->self)->v;
  for(int i=0;i<9;i++) h=h*17+table[i%3](i,seed+1);
  tl+=seed; h+=tl; atomic_fetch_add(&at,3); atomic_fetch_xor(&at,seed); int e=at; atomic_compare_exchange_strong(&at,&e,42); h+=at; al+=1ll<<40; h^=al; af+=1.5f; h+=(int)(af*4);
  long double l=ld(1.25L+seed,9); char lb[10]; memcpy(lb,&l,10); for(int i=0;i<10;i++) h=h*31+(uint8_t)lb[i]; h+=(int64_t)(l*1000);
  _Float16 x=hf(1.5f+seed,6); uint16_t xb; memcpy(&xb,&x,2); h=h*31+xb; 
  h+=vla(5+seed); h+=(uint64_t)divs(((unsigned __int128)h<<64)|12345,((unsigned __int128)seed<<70)+77); for(int i=-4;i<12;i++)h=h*3+sw(i); h+=sp("hello world"); struct S s=mk(seed*77); h=h*31+s.a+s.b[0]+s.b[2]+(int)(s.c*2);
  struct Big b={{1,2,3,4,5,seed}}; h+=byv(b)+b.v[2]; double complex z=1.5+seed*I; z=z*z+z; h+=(int)(creal(z)*8)+(int)(cimag(z)*16);
  char buf[32]; {const char*q="abc";int i=0;do buf[i]=q[i];while(q[i++]);} memset(buf+3,'x',5); buf[8]=0; for(char*c=buf;*c;c++)h=h*33+*c; uintptr_t u=(uintptr_t)buf; h+=*(char*)(u+2); h+= (u&0)==0;
  return h;
}
