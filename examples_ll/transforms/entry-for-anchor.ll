; An anchor is replaced by an entry token.
; Refines: the launch group as a whole, or what the environment makes of it, is one of the anchor's partitions.
;
; RUN: convcheck refine %s --threads 2 | FileCheck %s
;
; CHECK: {{^}}refines:

define i32 @src(i32 %x) {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  ret i32 %sum
}

define i32 @tgt(i32 %x) convergent {
A:
  %tok = call token @llvm.experimental.convergence.entry()
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
