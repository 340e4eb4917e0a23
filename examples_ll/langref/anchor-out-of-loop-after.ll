; Convergent Operation Semantics, "Hoisting and sinking", the anchor of anchor-out-of-loop-before.ll
; hoisted out of the loop: forbidden, and no longer a valid program, because the closed path B uses
; a token that is not defined on it.
;
; RUN: not convcheck verify %s | FileCheck %s
;
; CHECK: error[S-CYCLE-USE]

define i32 @example(i32 %n) {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  br label %B

B:
  %i = phi i32 [ 0, %A ], [ %i.next, %B ]
  %log = phi i32 [ 0, %A ], [ %log.next, %B ]
  %met = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %tok) ]
  %shifted = mul i32 %log, 10
  %log.next = add i32 %shifted, %met
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %B, label %C

C:
  ret i32 %log.next
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
