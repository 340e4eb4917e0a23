; Two branches that only choose a number by the result of an operation become selects, as simplifycfg has it.
; Equal. The second operation comes after the first branch, but does not depend on it: it is executed either
; way. So it is as free in the source as in the target, where no branch is left; a reading of D-DEP in which
; everything behind a branch depends on it would call this wrong.
;
; RUN: convcheck refine %s --threads 2 --assume range:%n=1..2 | FileCheck %s
;
; CHECK: {{^}}equal:

define i32 @src(i32 %n) {
A:
  br label %B

B:
  %i = phi i32 [ 1, %A ], [ %i.next, %K ]
  %log = phi i32 [ 0, %A ], [ %log.next, %K ]
  %tok.a = call token @llvm.experimental.convergence.anchor()
  %a = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %tok.a) ]
  %large = icmp ugt i32 %a, 2
  br i1 %large, label %P, label %J

P:
  br label %J

J:
  %y = phi i32 [ 1, %B ], [ 2, %P ]
  %tok.b = call token @llvm.experimental.convergence.anchor()
  %b = call i32 @subgroupMax(i32 %i) [ "convergencectrl"(token %tok.b) ]
  %later = icmp ugt i32 %b, 1
  br i1 %later, label %Q, label %K

Q:
  br label %K

K:
  %z = phi i32 [ 10, %J ], [ 20, %Q ]
  %both = add i32 %y, %z
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
  %tok.a = call token @llvm.experimental.convergence.anchor()
  %a = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %tok.a) ]
  %large = icmp ugt i32 %a, 2
  %y = select i1 %large, i32 2, i32 1
  %tok.b = call token @llvm.experimental.convergence.anchor()
  %b = call i32 @subgroupMax(i32 %i) [ "convergencectrl"(token %tok.b) ]
  %later = icmp ugt i32 %b, 1
  %z = select i1 %later, i32 20, i32 10
  %both = add i32 %y, %z
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
