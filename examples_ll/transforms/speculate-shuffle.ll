; Convergent Operation Semantics, "Hoisting and sinking": a shuffle in one arm is executed before the branch,
; also by those who did not ask for it.
; Refines, since out of range it is poison and not undefined: nobody looks at the new results, and the old ones
; are the same where they were not poison.
;
; RUN: convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}refines:

define void @src(i32 %data, i32 %id, i1 %condition) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %condition, label %B, label %C

B:
  %result = call i32 @subgroupShuffle(i32 %data, i32 %id) [ "convergencectrl"(token %entry) ]
  call void @report(i32 %result)
  br label %C

C:
  ret void
}

define void @tgt(i32 %data, i32 %id, i1 %condition) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %result = call i32 @subgroupShuffle(i32 %data, i32 %id) [ "convergencectrl"(token %entry) ]
  br i1 %condition, label %B, label %C

B:
  call void @report(i32 %result)
  br label %C

C:
  ret void
}

declare void @report(i32)
declare i32 @subgroupShuffle(i32, i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
