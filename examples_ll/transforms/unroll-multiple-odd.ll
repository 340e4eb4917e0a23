; Convergent Operation Semantics, "Loop unrolling examples": as unroll-multiple.ll, and the trip count is
; not known to be even.
; Wrong, though not for the groups: a thread with an odd number of rounds makes one more.
;
; RUN: not convcheck refine %s --assume range:%n=0..3 | FileCheck %s
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
  %more = icmp sgt i32 %counter, 0
  br i1 %more, label %B, label %C

B:
  call void @meet() [ "convergencectrl"(token %inner) ]
  call void @meet() [ "convergencectrl"(token %inner) ]
  %less = sub nsw i32 %counter, 2
  br label %H

C:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
