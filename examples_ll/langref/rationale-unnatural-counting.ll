; Convergent Operation Semantics, "Rationales for Static rules about cycles": a heart in C, which
; not every round passes, and an anchor for E. It would count only the rounds that come through C:
; C's operation would be converged in thread 0's first round and thread 1's second. LLVM's documents
; discuss this; today's rules forbid it, because the heart in C does not dominate the loop.
;
; RUN: not convcheck verify %s | FileCheck %s
;
; CHECK: error[S-HEART-DOM]

define i32 @example(i32 %x, i32 %first) {
A:
  %anchor = call token @llvm.experimental.convergence.anchor()
  br label %B

B:
  %i = phi i32 [ 0, %A ], [ %i.next, %F ]
  %log = phi i32 [ 0, %A ], [ %log.f, %F ]
  %condition1 = icmp eq i32 %i, %first
  br i1 %condition1, label %C, label %D

C:
  %loop = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %anchor) ]
  %op.1 = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %loop) ]
  %shifted.1 = mul i32 %log, 100
  %log.1 = add i32 %shifted.1, %op.1
  br label %D

D:
  %log.d = phi i32 [ %log, %B ], [ %log.1, %C ]
  %condition2 = icmp ne i32 %i, %first
  br i1 %condition2, label %E, label %F

E:
  %free = call token @llvm.experimental.convergence.anchor()
  %op.2 = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %free) ]
  %shifted.2 = mul i32 %log.d, 100
  %log.2 = add i32 %shifted.2, %op.2
  br label %F

F:
  %log.f = phi i32 [ %log.d, %D ], [ %log.2, %E ]
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 2
  br i1 %more, label %B, label %G

G:
  ret i32 %log.f
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
