; Convergent Operation Semantics, "Rationales for Static rules about cycles":
; rationale-two-operations.ll with a heart in B, the natural way to relate the rounds. Thread 0
; takes C in the first round and E in the second, thread 1 the other way round. Threads meet in an
; operation only if they take it in the same round, so each is alone.
;
; The threads return 101 and 1010.
;
; CONVCHECK: --threads 2 --arg %x=1,10 --arg %first=0,1
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
; RUN: convcheck enumerate %s | FileCheck %s --check-prefix=EVERY
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B C D - F B - D E F G{{$}}
; CHECK-NEXT: {{^}}Thread 1: A B - D E F B C D - F G{{$}}
; CHECK:      {{^}}Thread 0 returned 101{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 1010{{$}}
; EVERY: {{^}}Alignments: 2 (complete)   Outcomes: 1{{$}}

define i32 @example(i32 %x, i32 %first) {
A:
  %anchor = call token @llvm.experimental.convergence.anchor()
  br label %B

B:
  %i = phi i32 [ 0, %A ], [ %i.next, %F ]
  %log = phi i32 [ 0, %A ], [ %log.f, %F ]
  %loop = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %anchor) ]
  %condition1 = icmp eq i32 %i, %first
  br i1 %condition1, label %C, label %D

C:
  %op.1 = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %loop) ]
  %shifted.1 = mul i32 %log, 100
  %log.1 = add i32 %shifted.1, %op.1
  br label %D

D:
  %log.d = phi i32 [ %log, %B ], [ %log.1, %C ]
  %condition2 = icmp ne i32 %i, %first
  br i1 %condition2, label %E, label %F

E:
  %op.2 = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %loop) ]
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
