; A branch that seems to depend on an anchored count, and does not, becomes one on a constant, as instcombine has it.
; Equal: what is masked with 0 does not depend on the count, so the two counts may cross in the source, too. In
; `D-DEP.excludes.ll` the count can end the loop; there this is wrong.
;
; RUN: convcheck refine %s --threads 2 --arg %first=1,0 | FileCheck %s
;
; CHECK: {{^}}equal:

define i32 @src(i1 %first) convergent {
start:
  br label %which
which:
  %go_left = phi i1 [ %first, %start ], [ %not, %latch ]
  %counts = phi i32 [ 0, %start ], [ %counts.next, %latch ]
  br i1 %go_left, label %left, label %right
left:
  %in.left = call token @llvm.experimental.convergence.anchor()
  %lefts = call i32 @subgroupAdd(i32 10) [ "convergencectrl"(token %in.left) ]
  br label %latch
right:
  %in.right = call token @llvm.experimental.convergence.anchor()
  %rights = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %in.right) ]
  br label %latch
latch:
  %count = phi i32 [ %lefts, %left ], [ %rights, %right ]
  %counts.next = add i32 %counts, %count
  %not = xor i1 %go_left, true
  %turned = icmp ne i1 %not, %first
  %none = and i32 %count, 0
  %some = icmp eq i32 %none, 0
  %again = and i1 %turned, %some
  br i1 %again, label %which, label %out
out:
  ret i32 %counts.next
}

define i32 @tgt(i1 %first) convergent {
start:
  br label %which
which:
  %go_left = phi i1 [ %first, %start ], [ %not, %latch ]
  %counts = phi i32 [ 0, %start ], [ %counts.next, %latch ]
  br i1 %go_left, label %left, label %right
left:
  %in.left = call token @llvm.experimental.convergence.anchor()
  %lefts = call i32 @subgroupAdd(i32 10) [ "convergencectrl"(token %in.left) ]
  br label %latch
right:
  %in.right = call token @llvm.experimental.convergence.anchor()
  %rights = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %in.right) ]
  br label %latch
latch:
  %count = phi i32 [ %lefts, %left ], [ %rights, %right ]
  %counts.next = add i32 %counts, %count
  %not = xor i1 %go_left, true
  %again = icmp ne i1 %not, %first
  br i1 %again, label %which, label %out
out:
  ret i32 %counts.next
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
