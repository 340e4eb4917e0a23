; Convergent Operation Semantics, "Hoisting and sinking": a shuffle in both arms is hoisted above them.
; Equal where every id is in its arm's group, as in the first launch: the hoisted group is the union of the
; two, and a shuffle reads only the lane that it names. For any ids it refines: who named a lane of the other
; arm got poison and now gets its data.
;
; RUN: convcheck refine %s --threads 4 --arg=%data=10,20,30,40 --arg=%id=2,3,0,1 --arg=%condition=1,0,1,0 | FileCheck %s --check-prefix=RANGE
; RUN: convcheck refine %s | FileCheck %s --check-prefix=ANY
;
; RANGE: {{^}}equal:
; ANY: {{^}}refines:

define i32 @src(i32 %data, i32 %id, i1 %condition) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %condition, label %B, label %C

B:
  %shuffled.b = call i32 @subgroupShuffle(i32 %data, i32 %id) [ "convergencectrl"(token %entry) ]
  br label %D

C:
  %shuffled.c = call i32 @subgroupShuffle(i32 %data, i32 %id) [ "convergencectrl"(token %entry) ]
  br label %D

D:
  %shuffled = phi i32 [ %shuffled.b, %B ], [ %shuffled.c, %C ]
  ret i32 %shuffled
}

define i32 @tgt(i32 %data, i32 %id, i1 %condition) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %shuffled = call i32 @subgroupShuffle(i32 %data, i32 %id) [ "convergencectrl"(token %entry) ]
  ret i32 %shuffled
}

declare i32 @subgroupShuffle(i32, i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
