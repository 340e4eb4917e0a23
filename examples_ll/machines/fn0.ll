; The kernel of *Branch Divergence*, with a branch that diverges: both sides are issued. Where all lanes go one
; way, predication alone still issues both.
;
; CONVCHECK: --threads 4 --arg %a=2,0,2,0 --arg %b=1
;
; RUN: convcheck simulate %s | FileCheck %s
; RUN: convcheck simulate --arg=%a=2 %s | FileCheck %s --check-prefix=UNIFORM
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 9 67 % conforms
; CHECK-NEXT: exec-mask 9 67 % conforms
; CHECK-NEXT: mask-stack 9 67 % conforms
; CHECK-NEXT: predication 9 67 % conforms
; CHECK-NEXT: block-ip 9 67 % conforms
; CHECK-NEXT: barrier 9 67 % conforms
; CHECK-NEXT: heart 9 67 % conforms
; CHECK-NEXT: independent 24 25 % conforms
;
; UNIFORM: machine issues utilisation verdict
; UNIFORM-NEXT: ipdom 6 100 % conforms
; UNIFORM-NEXT: exec-mask 6 100 % conforms
; UNIFORM-NEXT: mask-stack 6 100 % conforms
; UNIFORM-NEXT: predication 9 67 % conforms
; UNIFORM-NEXT: block-ip 6 100 % conforms
; UNIFORM-NEXT: barrier 6 100 % conforms
; UNIFORM-NEXT: heart 6 100 % conforms
; UNIFORM-NEXT: independent 24 25 % conforms

define float @fn0(float %a, float %b) {
entry:
  %c = fcmp ogt float %a, %b
  br i1 %c, label %then, label %else

then:
  %m = fmul float %a, %a
  %r0 = fsub float %m, %b
  br label %join

else:
  %n = fmul float %b, %b
  %r1 = fsub float %n, %a
  br label %join

join:
  %r = phi float [ %r0, %then ], [ %r1, %else ]
  ret float %r
}
