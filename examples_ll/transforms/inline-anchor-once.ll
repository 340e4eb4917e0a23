; A helper with an anchor is called once, and the call is inlined.
; Equal: any partition before, any partition after. The call is no convergent operation and groups nobody.
;
; RUN: convcheck refine %s --threads 2 | FileCheck %s
;
; CHECK: {{^}}equal:

define i32 @src(i32 %x) {
A:
  %a = call i32 @helper(i32 %x)
  ret i32 %a
}

define i32 @helper(i32 %v) {
X:
  %tok = call token @llvm.experimental.convergence.anchor()
  %sum = call i32 @subgroupAdd(i32 %v) [ "convergencectrl"(token %tok) ]
  ret i32 %sum
}

define i32 @tgt(i32 %x) {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  ret i32 %a
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
