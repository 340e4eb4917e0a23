; Convergent Operation Semantics, "Loop unrolling examples", unroll-heart-before.ll unrolled by two,
; with a remainder: well-formed, and wrong. In the third round of the original both threads meet.
; Here thread 0 makes it in the remainder and thread 1 in the loop: two operations of the text,
; which can never be converged. Each is alone there, 1 where the original has 2.
;
; The heart is not repeated in the unrolled body: that would break S-CYCLE-TWICE. Whether the
; remainder has a heart of its own makes no difference; `verify` remarks that this one is the heart
; of no cycle.
;
; The threads return 221 and 2211.
;
; CONVCHECK: --threads 2 --arg %n=3,4
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: warning[W-NO-HEART]
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B - C D E{{$}}
; CHECK-NEXT: {{^}}Thread 1: A B B C - E{{$}}
; CHECK:      {{^}}Thread 0 returned 221{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 2211{{$}}

define i32 @unroll(i32 %n) {
A:
  %outer = call token @llvm.experimental.convergence.anchor()
  %any = icmp uge i32 %n, 2
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
  %more = icmp uge i32 %rest, 2
  br i1 %more, label %B, label %C

C:
  %left = phi i32 [ %n, %A ], [ %rest, %B ]
  %log.c = phi i32 [ 0, %A ], [ %log.2, %B ]
  %odd = icmp ugt i32 %left, 0
  br i1 %odd, label %D, label %E

D:
  %remainder = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %met.d = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %remainder) ]
  %shifted.d = mul i32 %log.c, 10
  %log.d = add i32 %shifted.d, %met.d
  br label %E

E:
  %result = phi i32 [ %log.c, %C ], [ %log.d, %D ]
  ret i32 %result
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
