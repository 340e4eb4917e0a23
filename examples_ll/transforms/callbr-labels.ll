; Inline assembly goes on at one of several labels (asm goto), and a transform swaps two of them.
; Wrong: nobody knows which label the assembly takes, but on the same operands it takes the same one.
;
; RUN: not convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: {{^}}Difference:

define i32 @src(i32 %x) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  callbr void asm sideeffect "test $0", "r,!i,!i"(i32 %x) to label %B [label %C, label %D]

B:
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %entry) ]
  ret i32 %sum

C:
  ret i32 -1

D:
  ret i32 -2
}

define i32 @tgt(i32 %x) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  callbr void asm sideeffect "test $0", "r,!i,!i"(i32 %x) to label %B [label %D, label %C]

B:
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %entry) ]
  ret i32 %sum

C:
  ret i32 -1

D:
  ret i32 -2
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
