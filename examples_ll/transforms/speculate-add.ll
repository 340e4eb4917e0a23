; Convergent Operation Semantics, "Hoisting and sinking": a sum instead of the shuffle of speculate-shuffle.ll.
; Wrong: a sum reads every lane of its group, those too that were not in it before.
;
; RUN: not convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: {{^}}Difference:

define void @src(i32 %data, i1 %condition) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %condition, label %B, label %C

B:
  %result = call i32 @subgroupAdd(i32 %data) [ "convergencectrl"(token %entry) ]
  call void @report(i32 %result)
  br label %C

C:
  ret void
}

define void @tgt(i32 %data, i1 %condition) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %result = call i32 @subgroupAdd(i32 %data) [ "convergencectrl"(token %entry) ]
  br i1 %condition, label %B, label %C

B:
  call void @report(i32 %result)
  br label %C

C:
  ret void
}

declare void @report(i32)
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
