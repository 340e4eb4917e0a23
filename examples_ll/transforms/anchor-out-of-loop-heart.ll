; Convergent Operation Semantics, "Hoisting and sinking": as anchor-out-of-loop.ll, and the loop gets a heart for the hoisted anchor.
; Refines: round k with round k, for the same threads in every round, is one of the things that an anchor in
; the loop could do. (The document calls the hoisting forbidden because it does not put a heart in its place.)
;
; RUN: convcheck refine %s --threads 2 --assume range:%n=0..3 | FileCheck %s
;
; CHECK: {{^}}refines:

define void @src(i32 %n) {
A:
  br label %H

H:
  %counter = phi i32 [ %n, %A ], [ %less, %B ]
  %more = icmp sgt i32 %counter, 0
  br i1 %more, label %B, label %C

B:
  %tok = call token @llvm.experimental.convergence.anchor()
  call void @meet() [ "convergencectrl"(token %tok) ]
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
  %more = icmp sgt i32 %counter, 0
  br i1 %more, label %B, label %C

B:
  call void @meet() [ "convergencectrl"(token %inner) ]
  %less = sub nsw i32 %counter, 1
  br label %H

C:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
