; Tail duplication: what follows a join is copied to its predecessors, a sum included.
; Wrong where the branch diverges, for then one group straddles the copies. Where it is uniform every group
; is in one copy, and a group is a set of threads with the numbers of their events, not a place in the text.
;
; RUN: not convcheck refine %s | FileCheck %s --check-prefix=DIVERGENT
; RUN: convcheck refine %s --assume uniform:%condition | FileCheck %s --check-prefix=UNIFORM
;
; DIVERGENT: {{^}}wrong:
; DIVERGENT: {{^}}Difference:
; UNIFORM: {{^}}equal:

define i32 @src(i32 %x, i1 %condition) convergent {
A:
  %tok = call token @llvm.experimental.convergence.entry()
  br i1 %condition, label %B, label %C

B:
  br label %D

C:
  br label %D

D:
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  ret i32 %sum
}

define i32 @tgt(i32 %x, i1 %condition) convergent {
A:
  %tok = call token @llvm.experimental.convergence.entry()
  br i1 %condition, label %B, label %C

B:
  %sum.b = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  ret i32 %sum.b

C:
  %sum.c = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  ret i32 %sum.c
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
