; Convergent Operation Semantics, "Loop unrolling examples": as unroll-remainder.ll, the remainder
; uses the heart's own token instead, as SSA allows.
; Wrong, for the same reason: which token the call in D uses is no help, since it is another static
; instance than the calls in B, and D-EQ relates only instances of one.
;
; RUN: not convcheck refine %s --assume range:%n=0..4 | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: {{^}}Difference:

define void @src(i32 %n) {
A:
  %outer = call token @llvm.experimental.convergence.anchor()
  br label %H

H:
  %counter = phi i32 [ %n, %A ], [ %less, %B ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %more = icmp sgt i32 %counter, 0
  br i1 %more, label %B, label %C

B:
  call void @meet() [ "convergencectrl"(token %inner) ]
  %less = sub nsw i32 %counter, 1
  br label %H

C:
  ret void
}

define void @tgt(i32 %n) {
A:
  %outer = call token @llvm.experimental.convergence.anchor()
  br label %H

H:
  %counter = phi i32 [ %n, %A ], [ %less, %B ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %two = icmp sgt i32 %counter, 1
  br i1 %two, label %B, label %C

B:
  call void @meet() [ "convergencectrl"(token %inner) ]
  call void @meet() [ "convergencectrl"(token %inner) ]
  %less = sub nsw i32 %counter, 2
  br label %H

C:
  %odd = icmp sgt i32 %counter, 0
  br i1 %odd, label %D, label %E

D:
  call void @meet() [ "convergencectrl"(token %inner) ]
  br label %E

E:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
