; Convergent Operation Semantics, "Rationales for Static rules about cycles": two operations in a
; loop, both with a token from outside. One thread may take C first and E in its second round,
; another the other way round; nothing says which rounds belong together.
;
; RUN: not convcheck verify %s | FileCheck %s
;
; CHECK: error[S-CYCLE-USE]

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
  %op.1 = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %anchor) ]
  %shifted.1 = mul i32 %log, 100
  %log.1 = add i32 %shifted.1, %op.1
  br label %D

D:
  %log.d = phi i32 [ %log, %B ], [ %log.1, %C ]
  %condition2 = icmp ne i32 %i, %first
  br i1 %condition2, label %E, label %F

E:
  %op.2 = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %anchor) ]
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
declare token @llvm.experimental.convergence.anchor()
