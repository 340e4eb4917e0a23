; Convergent Operation Semantics, "Hoisting and sinking": an anchor is hoisted out of its loop.
; Invalid: the closed path of the loop uses the token without defining it (S-CYCLE-USE). Nor can the result
; be run: a thread that comes to @meet a second time with the same token has the same key again.
;
; RUN: not convcheck refine %s --threads 2 --assume range:%n=0..3 | FileCheck %s
;
; CHECK: {{^}}invalid-output:
; CHECK: S-CYCLE-USE

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
  %tok = call token @llvm.experimental.convergence.anchor()
  br label %H

H:
  %counter = phi i32 [ %n, %A ], [ %less, %B ]
  %more = icmp sgt i32 %counter, 0
  br i1 %more, label %B, label %C

B:
  call void @meet() [ "convergencectrl"(token %tok) ]
  %less = sub nsw i32 %counter, 1
  br label %H

C:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.anchor()
