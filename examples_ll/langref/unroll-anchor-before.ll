; Convergent Operation Semantics, "Loop unrolling examples", the loop whose operation refers to an
; anchor inside the loop. Each round's anchor groups anew: nothing relates rounds of different
; threads, unless the implementation likes to.
;
; `run` shows the largest groups: thread 0's only round is converged with thread 1's first.
;
; The threads return 2 and 211.
;
; CONVCHECK: --threads 2 --arg %n=1,3
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: warning[W-ANCHOR-CYCLE]
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A H B H - - - - E{{$}}
; CHECK-NEXT: {{^}}Thread 1: A H B H B H B H E{{$}}
; CHECK:      {{^}}Thread 0 returned 2{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 211{{$}}

define i32 @unroll(i32 %n) {
A:
  br label %H

H:
  %counter = phi i32 [ %n, %A ], [ %rest, %B ]
  %log = phi i32 [ 0, %A ], [ %log.next, %B ]
  %more = icmp ugt i32 %counter, 0
  br i1 %more, label %B, label %E

B:
  %tok = call token @llvm.experimental.convergence.anchor()
  %met = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %tok) ]
  %shifted = mul i32 %log, 10
  %log.next = add i32 %shifted, %met
  %rest = sub i32 %counter, 1
  br label %H

E:
  ret i32 %log
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
