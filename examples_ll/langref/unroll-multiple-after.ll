; Convergent Operation Semantics, "Loop unrolling examples", unroll-multiple-before.ll unrolled by
; two, which needs no remainder and is allowed: what met in a round of the original still meets. The
; heart stands once, at the top.
;
; The threads return 22 and 2211.
;
; CONVCHECK: --threads 2 --arg %pairs=1,2
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B - C{{$}}
; CHECK-NEXT: {{^}}Thread 1: A B B C{{$}}
; CHECK:      {{^}}Thread 0 returned 22{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 2211{{$}}

define i32 @unroll(i32 %pairs) {
A:
  %outer = call token @llvm.experimental.convergence.anchor()
  %n = mul i32 %pairs, 2
  %any = icmp ugt i32 %n, 0
  br i1 %any, label %B, label %C

B:
  %counter = phi i32 [ %n, %A ], [ %rest, %B ]
  %log = phi i32 [ 0, %A ], [ %log.2, %B ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %met.1 = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %inner) ]
  %shifted.1 = mul i32 %log, 10
  %log.1 = add i32 %shifted.1, %met.1
  %met.2 = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %inner) ]
  %shifted.2 = mul i32 %log.1, 10
  %log.2 = add i32 %shifted.2, %met.2
  %rest = sub i32 %counter, 2
  %more = icmp ugt i32 %rest, 0
  br i1 %more, label %B, label %C

C:
  %result = phi i32 [ 0, %A ], [ %log.2, %B ]
  ret i32 %result
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
