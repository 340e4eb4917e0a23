; Loop unswitching, which *Non-divergent branches* names beside jump threading, before it: a condition that does not
; change in the loop is asked in each round. All lanes are together at the sum.
;
; CONVCHECK: --threads 4 --arg %which=1,0,1,0 --arg %x=1,2,3,4
;
; RUN: convcheck simulate %s | FileCheck %s
; RUN: convcheck simulate %s --beside %S/loop-unswitching-after.ll | FileCheck %s --check-prefix=BESIDE
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 42 81 % conforms
; CHECK-NEXT: exec-mask 42 81 % conforms
; CHECK-NEXT: mask-stack 42 81 % conforms
; CHECK-NEXT: predication 42 81 % conforms
; CHECK-NEXT: block-ip 42 81 % conforms
; CHECK-NEXT: barrier 42 81 % conforms
; CHECK-NEXT: heart 42 81 % conforms
; CHECK-NEXT: independent 136 25 % departs: %sum, lane 0, first time: ran {0}; D-USE allows only {0,1,2,3}, because %h n=1 is equal (D-LOOP)
;
; BESIDE: machine issues beside utilisation beside verdict beside
; BESIDE-NEXT: ipdom 42 50 +19 % 81 % 52 % conforms conforms
; BESIDE-NEXT: exec-mask 42 50 +19 % 81 % 52 % conforms conforms
; BESIDE-NEXT: mask-stack 42 50 +19 % 81 % 52 % conforms conforms
; BESIDE-NEXT: predication 42 50 +19 % 81 % 52 % conforms conforms
; BESIDE-NEXT: block-ip 42 50 +19 % 81 % 52 % conforms conforms
; BESIDE-NEXT: barrier 42 50 +19 % 81 % 52 % conforms conforms
; BESIDE-NEXT: heart 42 50 +19 % 81 % 52 % conforms conforms
; BESIDE-NEXT: independent 136 104 -24 % 25 % 25 % departs departs
; BESIDE-NEXT: code size 12 14 +17 %

define i32 @f(i1 %which, i32 %x) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %v = phi i32 [ %x, %entry ], [ %w, %latch ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %sum = call i32 @subgroupAdd(i32 %v) [ "convergencectrl"(token %h) ]
  %low = and i32 %sum, 255
  br i1 %which, label %then, label %else

then:
  %a = mul i32 %low, 3
  br label %latch

else:
  %b = add i32 %low, 7
  br label %latch

latch:
  %w = phi i32 [ %a, %then ], [ %b, %else ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %loop, label %out

out:
  ret i32 %w
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
