; Jump threading in *Non-divergent branches*, before it: the first condition, foo == bar, implies the second one, foo
; <= bar; but baz() has to run in between. All lanes meet at its call.
;
; CONVCHECK: --function @f --threads 4 --arg %foo=1,2,3,4 --arg %bar=1,2,1,9
;
; RUN: convcheck simulate %s | FileCheck %s
; RUN: convcheck simulate %s --beside %S/jump-threading-after.ll | FileCheck %s --check-prefix=BESIDE
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 18 82 % conforms
; CHECK-NEXT: exec-mask 18 82 % conforms
; CHECK-NEXT: mask-stack 18 82 % conforms
; CHECK-NEXT: predication 18 82 % conforms
; CHECK-NEXT: block-ip 18 82 % conforms
; CHECK-NEXT: barrier 18 82 % conforms
; CHECK-NEXT: heart 18 82 % conforms
; CHECK-NEXT: independent 59 25 % departs: %all, lane 3, first time: ran {3}; D-USE allows only {0,1,2,3}, because %t is equal (D-ENTRY)
;
; BESIDE: machine issues beside utilisation beside verdict beside
; BESIDE-NEXT: ipdom 18 26 +44 % 82 % 51 % conforms conforms
; BESIDE-NEXT: exec-mask 18 24 +33 % 82 % 55 % conforms conforms
; BESIDE-NEXT: mask-stack 18 24 +33 % 82 % 55 % conforms conforms
; BESIDE-NEXT: predication 18 24 +33 % 82 % 55 % conforms conforms
; BESIDE-NEXT: block-ip 18 24 +33 % 82 % 55 % conforms conforms
; BESIDE-NEXT: barrier 18 26 +44 % 82 % 51 % conforms conforms
; BESIDE-NEXT: heart 18 24 +33 % 82 % 55 % conforms conforms
; BESIDE-NEXT: independent 59 53 -10 % 25 % 25 % departs departs
; BESIDE-NEXT: code size 18 18 +0 %

define i32 @f(i32 %foo, i32 %bar) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  %equal = icmp eq i32 %foo, %bar
  br i1 %equal, label %bb1, label %other

bb1:
  %one = add i32 %foo, 1
  br label %middle

other:
  %two = sub i32 %foo, %bar
  br label %middle

middle:
  %x = phi i32 [ %one, %bb1 ], [ %two, %other ]
  %got = call i32 @baz(i32 %x) [ "convergencectrl"(token %t) ]
  %less = icmp sle i32 %foo, %bar
  br i1 %less, label %bb2, label %bb3

bb2:
  %p = shl i32 %got, 1
  ret i32 %p

bb3:
  ret i32 %got
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
