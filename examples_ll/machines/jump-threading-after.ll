; Jump threading in *Non-divergent branches*, after it: bb1 goes to bb2 without the second compare, and so the call of
; baz() is there twice. Where the first condition diverges a wave runs both. The tokens are kept, so this file
; conforms, too.
;
; CONVCHECK: --function @f --threads 4 --arg %foo=1,2,3,4 --arg %bar=1,2,1,9
;
; RUN: convcheck simulate %s | FileCheck %s
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 26 51 % conforms
; CHECK-NEXT: exec-mask 24 55 % conforms
; CHECK-NEXT: mask-stack 24 55 % conforms
; CHECK-NEXT: predication 24 55 % conforms
; CHECK-NEXT: block-ip 24 55 % conforms
; CHECK-NEXT: barrier 26 51 % conforms
; CHECK-NEXT: heart 24 55 % conforms
; CHECK-NEXT: independent 53 25 % departs: %all, lane 3, first time: ran {3}; D-USE allows only {2,3}, because %t is equal (D-ENTRY)

define i32 @f(i32 %foo, i32 %bar) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  %equal = icmp eq i32 %foo, %bar
  br i1 %equal, label %bb1, label %other

bb1:
  %one = add i32 %foo, 1
  %got1 = call i32 @baz(i32 %one) [ "convergencectrl"(token %t) ]
  br label %bb2

other:
  %two = sub i32 %foo, %bar
  %got2 = call i32 @baz(i32 %two) [ "convergencectrl"(token %t) ]
  %less = icmp sle i32 %foo, %bar
  br i1 %less, label %bb2, label %bb3

bb2:
  %got = phi i32 [ %got1, %bb1 ], [ %got2, %other ]
  %p = shl i32 %got, 1
  ret i32 %p

bb3:
  ret i32 %got2
}

define i32 @baz(i32 %x) convergent {
start:
  %t = call token @llvm.experimental.convergence.entry()
  %all = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  %a = mul i32 %all, 3
  %b = xor i32 %a, 5
  %c = lshr i32 %b, 1
  %d = add i32 %c, %x
  ret i32 %d
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
