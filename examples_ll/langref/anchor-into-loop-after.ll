; Convergent Operation Semantics, "Hoisting and sinking", the anchor of anchor-into-loop-before.ll
; sunk into the loop in place of the heart: valid, and wrong. Now the groups of each round are free.
; `run` shows the largest, which are those of the original; but thread 0's rounds may as well meet
; thread 1's last ones, or nobody.
;
; The threads return 22 and 221.
;
; CONVCHECK: --threads 2 --arg %n=2,3
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: warning[W-ANCHOR-CYCLE]
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B B - C{{$}}
; CHECK-NEXT: {{^}}Thread 1: A B B B C{{$}}
; CHECK:      {{^}}Thread 0 returned 22{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 221{{$}}

define i32 @example(i32 %n) {
A:
  br label %B

B:
  %i = phi i32 [ 0, %A ], [ %i.next, %B ]
  %log = phi i32 [ 0, %A ], [ %log.next, %B ]
  %tok = call token @llvm.experimental.convergence.anchor()
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
