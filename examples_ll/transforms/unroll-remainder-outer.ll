; Convergent Operation Semantics, "Loop unrolling examples": as unroll-remainder.ll, the remainder
; uses the anchor's token.
; Wrong, for the same reason, and for one more: threads with 1 and 3 rounds meet in D, where one is in its
; first round and the other in its third.
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
  call void @meet() [ "convergencectrl"(token %outer) ]
  br label %E

E:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
