; A helper with an anchor is called twice with nothing between, and both calls are inlined.
; Refines. The helper has one anchor in its text: the first call of one thread can meet the second call of
; another there. After inlining there are two, which never meet; what remains was possible before.
;
; RUN: convcheck refine %s --threads 2 --arg=%x=1,2 --arg=%y=3,4 | FileCheck %s --check-prefix=ONE
; RUN: convcheck refine %s --threads 2 --assume range:%x=0..2 --assume range:%y=0..2 | FileCheck %s --check-prefix=ALL
;
; ONE: {{^}}refines:
; ALL: {{^}}refines:

define i32 @src(i32 %x, i32 %y) {
A:
  %a = call i32 @helper(i32 %x)
  %b = call i32 @helper(i32 %y)
  %high = mul i32 %b, 100
  %both = add i32 %high, %a
  ret i32 %both
}

define i32 @helper(i32 %v) {
X:
  %tok = call token @llvm.experimental.convergence.anchor()
  %sum = call i32 @subgroupAdd(i32 %v) [ "convergencectrl"(token %tok) ]
  ret i32 %sum
}

define i32 @tgt(i32 %x, i32 %y) {
A:
  %tok.a = call token @llvm.experimental.convergence.anchor()
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok.a) ]
  %tok.b = call token @llvm.experimental.convergence.anchor()
  %b = call i32 @subgroupAdd(i32 %y) [ "convergencectrl"(token %tok.b) ]
  %high = mul i32 %b, 100
  %both = add i32 %high, %a
  ret i32 %both
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
