; The nested program with its blocks in another order of the text, A C O B D. The latch stands before the header, so
; block-ip runs it first, and lane 1 catches up with lane 0: the groups are no longer those that the tokens ask for.
;
; CONVCHECK: --path "A O B B C D" --path "A O B C O B C D" --arg %x=1,10
;
; RUN: convcheck simulate %s | FileCheck %s
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 12 75 % conforms
; CHECK-NEXT: exec-mask 12 75 % conforms
; CHECK-NEXT: mask-stack 12 75 % conforms
; CHECK-NEXT: predication 12 75 % conforms
; CHECK-NEXT: block-ip 10 90 % departs: %sum.b, lane 0, second time: ran {0,1}; D-USE allows only {0}, because %outer was executed for the 1st time with its token in lane 0, for the 2nd time in lane 1
; CHECK-NEXT: barrier 12 75 % conforms
; CHECK-NEXT: heart 12 75 % conforms
; CHECK-NEXT: independent 18 50 % departs: %sum.b, lane 0, first time: ran {0}; D-USE allows only {0,1}, because %inner n=1 is equal (D-LOOP)

define i32 @f(i32 %x, i1 %cc1, i1 %cc2) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %O

C:
  br i1 %cc2, label %O, label %D

O:
  %outer = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  br label %B

B:
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %sum.b = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %inner) ]
  br i1 %cc1, label %B, label %C

D:
  ret i32 %sum.b
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
