; Convergent Operation Semantics, "Hoisting and sinking": one of the two operations is sunk, with the token of an entry.
; Wrong, as with both of them (sink-both-entry.ll): the entry's group has all threads, the sunk operation some.
;
; RUN: not convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: {{^}}Difference:

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
declare token @llvm.experimental.convergence.entry()
