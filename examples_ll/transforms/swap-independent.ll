; Two operations below anchors of their own, which touch no memory and do not use each other's results,
; change places.
; Equal: nothing but the order of the text connected them, and nobody can see it.
;
; RUN: convcheck refine %s --threads 2 | FileCheck %s
;
; CHECK: {{^}}equal:

define i32 @src(i32 %x, i32 %y) {
A:
  %tok.a = call token @llvm.experimental.convergence.anchor()
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok.a) ]
  %tok.b = call token @llvm.experimental.convergence.anchor()
  %b = call i32 @subgroupMax(i32 %y) [ "convergencectrl"(token %tok.b) ]
  %high = mul i32 %b, 100
  %both = add i32 %high, %a
  ret i32 %both
}

define i32 @tgt(i32 %x, i32 %y) {
A:
  %tok.b = call token @llvm.experimental.convergence.anchor()
  %b = call i32 @subgroupMax(i32 %y) [ "convergencectrl"(token %tok.b) ]
  %tok.a = call token @llvm.experimental.convergence.anchor()
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok.a) ]
  %high = mul i32 %b, 100
  %both = add i32 %high, %a
  ret i32 %both
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare i32 @subgroupMax(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
