; Convergent Operation Semantics, "Loop unrolling examples", the loop with a heart. Two threads make
; 3 and 4 rounds; the heart pairs the first three, and thread 1 makes the last one alone.
;
; unroll-heart-remainder.ll shows that no unrolling with a remainder can keep this.
;
; The threads return 222 and 2221.
;
; CONVCHECK: --threads 2 --arg %n=3,4
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B B B - C{{$}}
; CHECK-NEXT: {{^}}Thread 1: A B B B B C{{$}}
; CHECK:      {{^}}Thread 0 returned 222{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 2221{{$}}

define i32 @unroll(i32 %n) {
A:
  %outer = call token @llvm.experimental.convergence.anchor()
  %any = icmp ugt i32 %n, 0
  br i1 %any, label %B, label %C

B:
  %counter = phi i32 [ %n, %A ], [ %rest, %B ]
  %log = phi i32 [ 0, %A ], [ %log.next, %B ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %met = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %inner) ]
  %shifted = mul i32 %log, 10
  %log.next = add i32 %shifted, %met
  %rest = sub i32 %counter, 1
  %more = icmp ugt i32 %rest, 0
  br i1 %more, label %B, label %C

C:
  %result = phi i32 [ 0, %A ], [ %log.next, %B ]
  ret i32 %result
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
