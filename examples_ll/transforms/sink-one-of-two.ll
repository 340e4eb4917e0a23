; Convergent Operation Semantics, "Hoisting and sinking": only the second of the two is sunk.
; Wrong: in the source both have the same group. In the target a thread that does not go to B adds to %a and
; is missing from %b, which shows in the two values that B keeps.
;
; RUN: not convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: {{^}}Difference:

define void @src(i32 %x, i1 %condition) {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  %b = call i32 @subgroupMax(i32 %x) [ "convergencectrl"(token %tok) ]
  br i1 %condition, label %B, label %C

B:
  call void @keep(i32 %a, i32 %b)
  br label %C

C:
  ret void
}

define void @tgt(i32 %x, i1 %condition) {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  br i1 %condition, label %B, label %C

B:
  %b = call i32 @subgroupMax(i32 %x) [ "convergencectrl"(token %tok) ]
  call void @keep(i32 %a, i32 %b)
  br label %C

C:
  ret void
}

declare void @keep(i32, i32)
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare i32 @subgroupMax(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
