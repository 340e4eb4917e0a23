; Convergent Operation Semantics, "Inferring Tokens", on two nested loops: entry at the start of the entry
; block, loop at the start of each header with the token of the loop around it, and every operation with the
; token of its innermost loop.
;
; RUN: convcheck infer -q %s | FileCheck %s
; RUN: convcheck infer -q %s | convcheck run - --threads 2 --arg %n=1,2 | FileCheck %s --check-prefix=SUMS
;
; CHECK:      define i32 @sums(i32 %n) convergent {
; CHECK-NEXT: A:
; CHECK-NEXT:   %entry = call token @llvm.experimental.convergence.entry()
; CHECK:      outer:
; CHECK-NEXT:   %i = phi
; CHECK-NEXT:   %loop.outer = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry) ]
; CHECK:      inner:
; CHECK-NEXT:   %j = phi
; CHECK-NEXT:   %loop.inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %loop.outer) ]
; CHECK-NEXT:   %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %loop.inner) ]
; CHECK:      exit:
; CHECK-NEXT:   %all = call i32 @subgroupAdd(i32 %s) [ "convergencectrl"(token %entry) ]
;
; SUMS:      Thread 0: A inner inner latch - - - exit
; SUMS-NEXT: Thread 1: A inner inner latch inner inner latch exit

declare i32 @subgroupAdd(i32) convergent

define i32 @sums(i32 %n) convergent {
A:
  br label %outer

outer:
  %i = phi i32 [ 0, %A ], [ %i.next, %latch ]
  br label %inner

inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %s = call i32 @subgroupAdd(i32 1)
  %j.next = add i32 %j, 1
  %again = icmp ult i32 %j.next, 2
  br i1 %again, label %inner, label %latch

latch:
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %outer, label %exit

exit:
  %all = call i32 @subgroupAdd(i32 %s)
  ret i32 %all
}
