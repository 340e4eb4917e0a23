; A function without tokens is inlined into one with tokens, which then has both kinds. (The other way round,
; without a bundle at the call, goes wrong alike.)
;
; Pass: always-inline
; Verdict: invalid-output S-MIX
; RUN: not convcheck refine %s --function @main --max-launches 40 --passes always-inline | FileCheck %s
;
; CHECK: {{^}}invalid-output: @main
; CHECK: error[S-MIX]

define i32 @main(i32 %x) {
entry:
  %some = call token @llvm.experimental.convergence.anchor()
  %r = call i32 @helper(i32 %x) [ "convergencectrl"(token %some) ]
  ret i32 %r
}

define i32 @helper(i32 %x) convergent alwaysinline {
entry:
  %sum = call i32 @subgroupAdd(i32 %x)
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
