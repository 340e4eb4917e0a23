; Convergent Operation Semantics, "Loop unrolling examples": the anchor is inside the loop, by two, with a tail.
; Refines. Each round of the source may group anyhow: any round of one thread with any of the other, as long
; as no two pairs cross. In the target only equal copies of the call can meet; every such grouping was
; possible before, but no longer round 1 of one thread with round 2 of the other.
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
  br label %H

H:
  %counter = phi i32 [ %n, %A ], [ %less, %B ]
  %two = icmp sgt i32 %counter, 1
  br i1 %two, label %B, label %T

B:
  %tok.1 = call token @llvm.experimental.convergence.anchor()
  call void @meet() [ "convergencectrl"(token %tok.1) ]
  %tok.2 = call token @llvm.experimental.convergence.anchor()
  call void @meet() [ "convergencectrl"(token %tok.2) ]
  %less = sub nsw i32 %counter, 2
  br label %H

T:
  %left = phi i32 [ %counter, %H ], [ %left.less, %D ]
  %more = icmp sgt i32 %left, 0
  br i1 %more, label %D, label %C

D:
  %tok.3 = call token @llvm.experimental.convergence.anchor()
  call void @meet() [ "convergencectrl"(token %tok.3) ]
  %left.less = sub nsw i32 %left, 1
  br label %T

C:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.anchor()
