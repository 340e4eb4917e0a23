; At the join of an if, and after a loop that each lane runs its own number of times, all lanes are together on every
; lock-step machine.
;
; CONVCHECK: --threads 4 --arg %n=0,1,2,3
;
; RUN: convcheck simulate %s | FileCheck %s
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 17 72 % conforms
; CHECK-NEXT: exec-mask 17 72 % conforms
; CHECK-NEXT: mask-stack 17 72 % conforms
; CHECK-NEXT: predication 17 72 % conforms
; CHECK-NEXT: block-ip 17 72 % conforms
; CHECK-NEXT: barrier 17 72 % conforms
; CHECK-NEXT: heart 17 72 % conforms
; CHECK-NEXT: independent 49 25 % departs: %join, lane 0, first time: ran {0}; D-USE allows only {0,1,2,3}, because %t is equal (D-ENTRY)

define i32 @f(i32 %n) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  %c = icmp ult i32 %n, 2
  br i1 %c, label %T, label %F

T:
  br label %J

F:
  br label %J

J:
  %join = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  br label %H

H:
  %i = phi i32 [ 0, %J ], [ %i.next, %H ]
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %H, label %E

E:
  %after = call i32 @subgroupAdd(i32 %join) [ "convergencectrl"(token %t) ]
  ret i32 %after
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
