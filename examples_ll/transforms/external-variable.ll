; A value that the host writes before the launch is taken for a constant.
; Wrong. What an external variable holds is an input, as arguments are: no value of it may be guessed. The
; module's own table is known: @tgt may use its element.
;
; RUN: not convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: --global @threshold=1
; CHECK: {{^}}Difference:

@threshold = external global i32
@weights = internal constant [2 x i32] [i32 4, i32 6]

define i32 @src(i32 %x) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %least = load i32, ptr @threshold
  %big = icmp uge i32 %x, %least
  br i1 %big, label %B, label %C

B:
  %weight = load i32, ptr getelementptr ([2 x i32], ptr @weights, i32 0, i32 1)
  %sum = call i32 @subgroupAdd(i32 %weight) [ "convergencectrl"(token %entry) ]
  ret i32 %sum

C:
  ret i32 0
}

define i32 @tgt(i32 %x) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %sum = call i32 @subgroupAdd(i32 6) [ "convergencectrl"(token %entry) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
