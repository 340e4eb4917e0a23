; The operation in the block that leaves the loop, as in divergent-break.ll, but under the token from outside the
; loop: now all lanes that come there belong together, in whatever round they left. Machines at which leaving lanes wait
; for the whole loop conform; ipdom runs the block in each round.
;
; CONVCHECK: --threads 4 --arg %last=0,1,1,9
;
; RUN: convcheck simulate %s | FileCheck %s
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 21 54 % departs: %met, lane 0, first time: ran {0}; D-USE allows only {0,1,2}, because %t is equal (D-ENTRY)
; CHECK-NEXT: exec-mask 19 59 % conforms
; CHECK-NEXT: mask-stack 19 59 % conforms
; CHECK-NEXT: predication 19 59 % conforms
; CHECK-NEXT: block-ip 21 54 % departs: %met, lane 0, first time: ran {0}; D-USE allows only {0,1,2}, because %t is equal (D-ENTRY)
; CHECK-NEXT: barrier 21 54 % departs: %met, lane 0, first time: ran {0}; D-USE allows only {0,1,2}, because %t is equal (D-ENTRY)
; CHECK-NEXT: heart 19 59 % conforms
; CHECK-NEXT: independent 45 25 % departs: %met, lane 0, first time: ran {0}; D-USE allows only {0,1,2}, because %t is equal (D-ENTRY)

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
  %met = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
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
