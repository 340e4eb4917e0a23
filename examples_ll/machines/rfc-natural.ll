; The RFC's loop with natural-loop tokens. Machines that give each latch a loop of its own let
; thread 0 go round alone in its second round; the tokens want both threads there.
;
; CONVCHECK: --path "A B B C D" --path "A B C B C D" --arg %x=1,10
;
; RUN: convcheck simulate %s | FileCheck %s
; RUN: convcheck simulate --policy barrier --barriers hearts %s | FileCheck %s --check-prefix=HEARTS
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 10 75 % departs: %sum.b, lane 0, second time: ran {0}; D-USE allows only {0,1}, because %natural n=2 is equal (D-LOOP)
; CHECK-NEXT: exec-mask 10 75 % departs: %sum.b, lane 0, second time: ran {0}; D-USE allows only {0,1}, because %natural n=2 is equal (D-LOOP)
; CHECK-NEXT: mask-stack 8 94 % conforms
; CHECK-NEXT: predication 8 94 % conforms
; CHECK-NEXT: block-ip 10 75 % departs: %sum.b, lane 0, second time: ran {0}; D-USE allows only {0,1}, because %natural n=2 is equal (D-LOOP)
; CHECK-NEXT: barrier 10 75 % departs: %sum.b, lane 0, second time: ran {0}; D-USE allows only {0,1}, because %natural n=2 is equal (D-LOOP)
; CHECK-NEXT: heart 8 94 % conforms
; CHECK-NEXT: independent 15 50 % departs: %sum.b, lane 0, first time: ran {0}; D-USE allows only {0,1}, because %natural n=1 is equal (D-LOOP)
;
; HEARTS: barrier 8 94 % conforms
; HEARTS: %sum.b (@subgroupAdd):
; HEARTS-NEXT: threads 0, 1 #1: 11
; HEARTS-NEXT: threads 0, 1 #2: 11
; HEARTS: Machine operations: 1 BREAK, 3 BSSY, 4 BSYNC

define i32 @f(i32 %x, i1 %cc1, i1 %cc2) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B

B:
  %natural = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %sum.b = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %natural) ]
  br i1 %cc1, label %B, label %C

C:
  br i1 %cc2, label %B, label %D

D:
  ret i32 %sum.b
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
