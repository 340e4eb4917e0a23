; An operation in a block that leaves the loop, under the heart's token: threads meet there that left
; in the same round. Who waits for the whole loop before it runs that block brings all of them together;
; where the source had the block inside the loop, mask-stack runs it in the round.
;
; CONVCHECK: --threads 4 --arg %last=0,1,1,9
;
; RUN: convcheck simulate %s | FileCheck %s
; RUN: convcheck simulate --policy mask-stack --structure H=K %s | FileCheck %s --check-prefix=INSIDE
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 21 54 % conforms
; CHECK-NEXT: exec-mask 19 59 % departs: %met, lane 0, first time: ran {0,1,2}; D-USE allows only {0}, because %heart was executed for the 1st time with its token in lane 0, for the 2nd time in lane 1
; CHECK-NEXT: mask-stack 19 59 % departs: %met, lane 0, first time: ran {0,1,2}; D-USE allows only {0}, because %heart was executed for the 1st time with its token in lane 0, for the 2nd time in lane 1
; CHECK-NEXT: predication 19 59 % departs: %met, lane 0, first time: ran {0,1,2}; D-USE allows only {0}, because %heart was executed for the 1st time with its token in lane 0, for the 2nd time in lane 1
; CHECK-NEXT: block-ip 21 54 % conforms
; CHECK-NEXT: barrier 21 54 % conforms
; CHECK-NEXT: heart 21 54 % conforms
; CHECK-NEXT: independent 45 25 % departs: %met, lane 1, first time: ran {1}; D-USE allows only {1,2}, because %heart n=2 is equal (D-LOOP)
;
; INSIDE: machine issues utilisation verdict
; INSIDE-NEXT: mask-stack 21 54 % conforms
; INSIDE: %met (@subgroupAdd):
; INSIDE-NEXT: thread 0 #1: 1
; INSIDE-NEXT: threads 1, 2 #1: 2
; INSIDE: Machine operations: 6 JUMP, 5 LOOP_BREAK, 3 LOOP_END, 1 LOOP_START, 4 POP, 3 PUSH, 3 PUSH_ELSE

define i32 @f(i32 %last) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %H

H:
  %i = phi i32 [ 0, %A ], [ %i.next, %L ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %stop = icmp eq i32 %i, %last
  br i1 %stop, label %K, label %L

K:
  %met = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %heart) ]
  br label %E

L:
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 3
  br i1 %more, label %H, label %E

E:
  %r = phi i32 [ %met, %K ], [ 0, %L ]
  ret i32 %r
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
