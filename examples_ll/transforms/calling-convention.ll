; A call whose calling convention is not its callee's becomes unreachable, as instcombine and simplifycfg have it.
; Refines: such a call is undefined behaviour (LangRef, 'call' Instruction), so threads that make it say nothing.
; The reverse is wrong: only the target is undefined there.
;
; RUN: convcheck refine %s | FileCheck %s
; RUN: not convcheck refine %s --function tgt --target-function src | FileCheck %s --check-prefix=BACK
;
; CHECK: {{^}}refines:
; CHECK: only in the source: @twice is called with a calling convention that it does not have
; BACK: {{^}}wrong:
; BACK: {{^}}Difference: {{.*}}@twice is called with a calling convention that it does not have

define i32 @src(i32 %x, i1 %condition) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %condition, label %B, label %C

B:
  %r = call i32 @twice(i32 %x)
  br label %C

C:
  %value = phi i32 [ %x, %A ], [ %r, %B ]
  %sum = call i32 @subgroupAdd(i32 %value) [ "convergencectrl"(token %entry) ]
  ret i32 %sum
}

define i32 @tgt(i32 %x, i1 %condition) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %entry) ]
  ret i32 %sum
}

define internal fastcc i32 @twice(i32 %x) {
A:
  %r = shl i32 %x, 1
  ret i32 %r
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
