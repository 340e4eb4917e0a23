; As swap-independent.ll, in a loop.
; Equal. Here it matters that dependence alone decides (D-DEP): with D-ORDER, round 1 of one thread's sum with
; round 2 of the other's, and round 1 of the maximum with round 1, is legal in one order of the text only.
;
; RUN: convcheck refine %s --threads 2 --assume range:%n=0..2 | FileCheck %s
;
; CHECK: {{^}}equal:

define i32 @src(i32 %n) {
A:
  br label %B

B:
  %i = phi i32 [ 1, %A ], [ %i.next, %B ]
  %log = phi i32 [ 0, %A ], [ %log.next, %B ]
  %tok.a = call token @llvm.experimental.convergence.anchor()
  %a = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %tok.a) ]
  %tok.b = call token @llvm.experimental.convergence.anchor()
  %b = call i32 @subgroupMax(i32 %i) [ "convergencectrl"(token %tok.b) ]
  %both = add i32 %a, %b
  %shifted = mul i32 %log, 100
  %log.next = add i32 %shifted, %both
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ule i32 %i.next, %n
  br i1 %more, label %B, label %C

C:
  ret i32 %log.next
}

define i32 @tgt(i32 %n) {
A:
  br label %B

B:
  %i = phi i32 [ 1, %A ], [ %i.next, %B ]
  %log = phi i32 [ 0, %A ], [ %log.next, %B ]
  %tok.b = call token @llvm.experimental.convergence.anchor()
  %b = call i32 @subgroupMax(i32 %i) [ "convergencectrl"(token %tok.b) ]
  %tok.a = call token @llvm.experimental.convergence.anchor()
  %a = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %tok.a) ]
  %both = add i32 %a, %b
  %shifted = mul i32 %log, 100
  %log.next = add i32 %shifted, %both
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ule i32 %i.next, %n
  br i1 %more, label %B, label %C

C:
  ret i32 %log.next
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare i32 @subgroupMax(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
