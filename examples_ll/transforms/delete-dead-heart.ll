; A heart whose token nobody uses is deleted, beside an operation below an anchor.
; Equal, because free choices are legal by dependence (D-DEP): the sums of different rounds do not depend on
; each other, so round 1 of either thread may meet round 2 of the other, both at once. With D-ORDER the heart,
; which aligns the rounds, would forbid it in the source only. Every LLVM pipeline deletes such hearts.
;
; RUN: convcheck refine %s --threads 2 --assume range:%n=0..3 | FileCheck %s
;
; CHECK: {{^}}equal:

define i32 @src(i32 %n) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br label %B

B:
  %i = phi i32 [ 1, %A ], [ %i.next, %B ]
  %log = phi i32 [ 0, %A ], [ %log.next, %B ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry) ]
  %tok = call token @llvm.experimental.convergence.anchor()
  %sum = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %tok) ]
  %shifted = mul i32 %log, 10
  %log.next = add i32 %shifted, %sum
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ule i32 %i.next, %n
  br i1 %more, label %B, label %C

C:
  ret i32 %log.next
}

define i32 @tgt(i32 %n) convergent {
A:
  br label %B

B:
  %i = phi i32 [ 1, %A ], [ %i.next, %B ]
  %log = phi i32 [ 0, %A ], [ %log.next, %B ]
  %tok = call token @llvm.experimental.convergence.anchor()
  %sum = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %tok) ]
  %shifted = mul i32 %log, 10
  %log.next = add i32 %shifted, %sum
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ule i32 %i.next, %n
  br i1 %more, label %B, label %C

C:
  ret i32 %log.next
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
