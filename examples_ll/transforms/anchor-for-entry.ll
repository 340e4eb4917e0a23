; An entry token is replaced by an anchor's.
; Wrong: the environment says which threads launch together and meet here; an anchor may separate them.
; The reverse refines: to keep all together is one of the anchor's choices.
;
; RUN: not convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: {{^}}Difference:

define i32 @src(i32 %x) convergent {
A:
  %tok = call token @llvm.experimental.convergence.entry()
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  ret i32 %sum
}

define i32 @tgt(i32 %x) {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
