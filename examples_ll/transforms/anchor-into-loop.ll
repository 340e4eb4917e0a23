; Convergent Operation Semantics, "Hoisting and sinking": an anchor is sunk into the loop that it was made for, and its heart goes.
; Wrong. In the source whoever is together in round 1 is together in every round that both make; in the
; target each round has an anchor of its own, which may group in round 2 whom it has separated in round 1.
;
; RUN: not convcheck refine %s --assume range:%n=0..2 | FileCheck %s
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

declare void @meet() convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
