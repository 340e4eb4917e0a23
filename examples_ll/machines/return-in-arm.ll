; A return in an arm of an if: the branch has no post-dominator but the function's end, so ipdom and barriers at
; post-dominators do not bring the lanes in %join together. Block numbers and exec masks find the join.
;
; CONVCHECK: --threads 4 --arg %n=0,1,2,3
;
; RUN: convcheck simulate %s | FileCheck %s
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 10 52 % departs: %join, lane 1, first time: ran {1}; D-USE allows only {1,2,3}, because %t is equal (D-ENTRY)
; CHECK-NEXT: exec-mask 8 66 % conforms
; CHECK-NEXT: mask-stack 8 66 % conforms
; CHECK-NEXT: predication 8 66 % conforms
; CHECK-NEXT: block-ip 8 66 % conforms
; CHECK-NEXT: barrier 10 52 % departs: %join, lane 1, first time: ran {1}; D-USE allows only {1,2,3}, because %t is equal (D-ENTRY)
; CHECK-NEXT: heart 8 66 % conforms
; CHECK-NEXT: independent 21 25 % departs: %join, lane 1, first time: ran {1}; D-USE allows only {1,2,3}, because %t is equal (D-ENTRY)

define i32 @f(i32 %n) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  %c = icmp ult i32 %n, 2
  br i1 %c, label %T, label %F

T:
  %d = icmp eq i32 %n, 0
  br i1 %d, label %R, label %J

R:
  ret i32 0

F:
  br label %J

J:
  %join = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  ret i32 %join
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
