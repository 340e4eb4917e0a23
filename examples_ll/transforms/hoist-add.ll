; Convergent Operation Semantics, "Reductions inside divergent control flow": the sums of both arms are hoisted above the branch and merged.
; Wrong. With one positive and one negative delta the source sums up each alone; in the target nothing
; separates the threads, and both get the sum of both.
;
; RUN: not convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: {{^}}Difference:

define i32 @src(i32 %delta) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %cc = icmp sgt i32 %delta, 0
  br i1 %cc, label %B, label %C

B:
  %gains = call i32 @subgroupAdd(i32 %delta) [ "convergencectrl"(token %entry) ]
  br label %D

C:
  %losses = call i32 @subgroupAdd(i32 %delta) [ "convergencectrl"(token %entry) ]
  br label %D

D:
  %total = phi i32 [ %gains, %B ], [ %losses, %C ]
  ret i32 %total
}

define i32 @tgt(i32 %delta) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %total = call i32 @subgroupAdd(i32 %delta) [ "convergencectrl"(token %entry) ]
  ret i32 %total
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
