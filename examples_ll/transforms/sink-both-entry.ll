; Convergent Operation Semantics, "Hoisting and sinking": both operations are sunk, with the token of an entry, which stays.
; Wrong: the entry's group is not ours to choose, so the operands of the threads that do not go to B are
; missing.
;
; RUN: not convcheck refine %s | FileCheck %s --check-prefix=DIVERGENT
; RUN: convcheck refine %s --assume uniform:%condition | FileCheck %s --check-prefix=UNIFORM
;
; DIVERGENT: {{^}}wrong:
; DIVERGENT: {{^}}Difference:
; UNIFORM: {{^}}equal:

define void @src(i32 %x, i1 %condition) convergent {
A:
  %tok = call token @llvm.experimental.convergence.entry()
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  %b = call i32 @subgroupMax(i32 %x) [ "convergencectrl"(token %tok) ]
  br i1 %condition, label %B, label %C

B:
  call void @keep(i32 %a, i32 %b)
  br label %C

C:
  ret void
}

define void @tgt(i32 %x, i1 %condition) convergent {
A:
  %tok = call token @llvm.experimental.convergence.entry()
  br i1 %condition, label %B, label %C

B:
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  %b = call i32 @subgroupMax(i32 %x) [ "convergencectrl"(token %tok) ]
  call void @keep(i32 %a, i32 %b)
  br label %C

C:
  ret void
}

declare void @keep(i32, i32)
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare i32 @subgroupMax(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
