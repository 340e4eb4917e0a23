; Convergent Operation Semantics, "Loop unrolling examples", the same loop unrolled by two, with a
; tail for what is left over. That is allowed: the anchors of unroll-anchor-before.ll may group as
; they like, so also like this. What is likely has changed, not what is guaranteed: now thread 0's
; only round meets thread 1's last, in the tail.
;
; The threads return 2 and 112.
;
; CONVCHECK: --threads 2 --arg %n=1,3
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: warning[W-ANCHOR-CYCLE]
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A H - - T R T E{{$}}
; CHECK-NEXT: {{^}}Thread 1: A H B H T R T E{{$}}
; CHECK:      {{^}}Thread 0 returned 2{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 112{{$}}

define i32 @unroll(i32 %n) {
A:
  br label %H

H:
  %counter = phi i32 [ %n, %A ], [ %rest, %B ]
  %log = phi i32 [ 0, %A ], [ %log.2, %B ]
  %more = icmp uge i32 %counter, 2
  br i1 %more, label %B, label %T

B:
  %tok.1 = call token @llvm.experimental.convergence.anchor()
  %met.1 = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %tok.1) ]
  %shifted.1 = mul i32 %log, 10
  %log.1 = add i32 %shifted.1, %met.1
  %tok.2 = call token @llvm.experimental.convergence.anchor()
  %met.2 = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %tok.2) ]
  %shifted.2 = mul i32 %log.1, 10
  %log.2 = add i32 %shifted.2, %met.2
  %rest = sub i32 %counter, 2
  br label %H

T:
  %counter.t = phi i32 [ %counter, %H ], [ %rest.t, %R ]
  %log.t = phi i32 [ %log, %H ], [ %log.r, %R ]
  %more.t = icmp ugt i32 %counter.t, 0
  br i1 %more.t, label %R, label %E

R:
  %tok.t = call token @llvm.experimental.convergence.anchor()
  %met.t = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %tok.t) ]
  %shifted.t = mul i32 %log.t, 10
  %log.r = add i32 %shifted.t, %met.t
  %rest.t = sub i32 %counter.t, 1
  br label %T

E:
  ret i32 %log.t
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
