; Convergent Operation Semantics, "Rationales for Static rules about cycles": an operation in a loop
; whose token comes from outside. Any two executions of it would be converged across threads, so
; also two of one thread, which cannot be. The closed path B must contain the definition of %tok;
; rationale-token-in-loop-heart.ll is right.
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
