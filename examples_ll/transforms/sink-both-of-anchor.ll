; Both operations of sink-with-anchor.ll are sunk, and their anchor stays where it was.
; Refines: the anchor may still separate the threads of the arm from the others, and what it cannot undo is
; that the others are not there.
;
; RUN: convcheck refine %s --threads 2 | FileCheck %s
;
; CHECK: {{^}}refines:

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
declare token @llvm.experimental.convergence.anchor()
