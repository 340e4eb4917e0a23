; Convergent Operation Semantics, "Reductions inside divergent control flow": the same where the condition is an argument.
; Equal if it is uniform: then all threads of the entry's group go the same way and are one group on either
; side. Without that promise it is wrong, as in hoist-add.ll.
;
; RUN: convcheck refine %s --assume uniform:%cc | FileCheck %s --check-prefix=UNIFORM
; RUN: not convcheck refine %s | FileCheck %s --check-prefix=DIVERGENT
;
; UNIFORM: {{^}}equal:
; DIVERGENT: {{^}}wrong:
; DIVERGENT: {{^}}Difference:

define i32 @src(i32 %delta, i1 noundef %cc) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
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

define i32 @tgt(i32 %delta, i1 noundef %cc) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %total = call i32 @subgroupAdd(i32 %delta) [ "convergencectrl"(token %entry) ]
  ret i32 %total
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
