; Loop unswitching, after it: a loop for each side. Where the condition diverges a wave runs one after the other, and the
; sums are of the lanes of one side. The tokens are kept, so this file conforms, too.
;
; CONVCHECK: --threads 4 --arg %which=1,0,1,0 --arg %x=1,2,3,4
;
; RUN: convcheck simulate %s | FileCheck %s
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 50 52 % conforms
; CHECK-NEXT: exec-mask 50 52 % conforms
; CHECK-NEXT: mask-stack 50 52 % conforms
; CHECK-NEXT: predication 50 52 % conforms
; CHECK-NEXT: block-ip 50 52 % conforms
; CHECK-NEXT: barrier 50 52 % conforms
; CHECK-NEXT: heart 50 52 % conforms
; CHECK-NEXT: independent 104 25 % departs: %sum1, lane 0, first time: ran {0}; D-USE allows only {0,2}, because %h1 n=1 is equal (D-LOOP)

define i32 @f(i1 %which, i32 %x) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %which, label %loop1, label %loop2

loop1:
  %i1 = phi i32 [ 0, %entry ], [ %next1, %loop1 ]
  %v1 = phi i32 [ %x, %entry ], [ %a, %loop1 ]
  %h1 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %sum1 = call i32 @subgroupAdd(i32 %v1) [ "convergencectrl"(token %h1) ]
  %low1 = and i32 %sum1, 255
  %a = mul i32 %low1, 3
  %next1 = add i32 %i1, 1
  %more1 = icmp ult i32 %next1, 4
  br i1 %more1, label %loop1, label %out

loop2:
  %i2 = phi i32 [ 0, %entry ], [ %next2, %loop2 ]
  %v2 = phi i32 [ %x, %entry ], [ %b, %loop2 ]
  %h2 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %sum2 = call i32 @subgroupAdd(i32 %v2) [ "convergencectrl"(token %h2) ]
  %low2 = and i32 %sum2, 255
  %b = add i32 %low2, 7
  %next2 = add i32 %i2, 1
  %more2 = icmp ult i32 %next2, 4
  br i1 %more2, label %loop2, label %out

out:
  %w = phi i32 [ %a, %loop1 ], [ %b, %loop2 ]
  ret i32 %w
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
