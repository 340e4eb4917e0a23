; As duplicate-tail.ll, below an anchor.
; Refines: the target separates what goes different ways, which the anchor was free to do.
;
; RUN: convcheck refine %s --threads 2 | FileCheck %s
;
; CHECK: {{^}}refines:

define i32 @src(i32 %x, i1 %condition) {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  br i1 %condition, label %B, label %C

B:
  br label %D

C:
  br label %D

D:
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  ret i32 %sum
}

define i32 @tgt(i32 %x, i1 %condition) {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  br i1 %condition, label %B, label %C

B:
  %sum.b = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  ret i32 %sum.b

C:
  %sum.c = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  ret i32 %sum.c
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
