; Convergent Operation Semantics, "Rationales for Static rules about cycles":
; rationale-token-in-loop.ll with a heart, which relates the rounds of the threads to each other:
; first with first, second with second.
;
; All threads return 22.
;
; CONVCHECK: --threads 2 --arg %n=2,2
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B B C{{$}}
; CHECK-NEXT: {{^}}Thread 1: A B B C{{$}}
; CHECK:      {{^}}Threads 0, 1 returned 22{{$}}

define i32 @example(i32 %n) {
A:
  %anchor = call token @llvm.experimental.convergence.anchor()
  br label %B

B:
  %i = phi i32 [ 0, %A ], [ %i.next, %B ]
  %log = phi i32 [ 0, %A ], [ %log.next, %B ]
  %tok = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %anchor) ]
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
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
