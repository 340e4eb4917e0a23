; Convergent Operation Semantics, "Examples for the Correctness of Program Transforms": a loop without
; convergent operations, by two with a remainder; the operation comes after it.
; Equal. Its token is the entry's and does not depend on how a thread came there: all threads meet.
;
; RUN: convcheck refine %s --assume range:%n=0..3 | FileCheck %s
;
; CHECK: {{^}}equal:

define i32 @src(i32 %n) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br label %H

H:
  %counter = phi i32 [ %n, %A ], [ %less, %B ]
  %product = phi i32 [ 1, %A ], [ %double, %B ]
  %more = icmp sgt i32 %counter, 0
  br i1 %more, label %B, label %C

B:
  %double = mul i32 %product, 2
  %less = sub nsw i32 %counter, 1
  br label %H

C:
  %sum = call i32 @subgroupAdd(i32 %product) [ "convergencectrl"(token %entry) ]
  ret i32 %sum
}

define i32 @tgt(i32 %n) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br label %H

H:
  %counter = phi i32 [ %n, %A ], [ %less, %B ]
  %product = phi i32 [ 1, %A ], [ %fourfold, %B ]
  %two = icmp sgt i32 %counter, 1
  br i1 %two, label %B, label %R

B:
  %fourfold = mul i32 %product, 4
  %less = sub nsw i32 %counter, 2
  br label %H

R:
  %odd = icmp sgt i32 %counter, 0
  br i1 %odd, label %D, label %C

D:
  %double = mul i32 %product, 2
  br label %C

C:
  %last = phi i32 [ %product, %R ], [ %double, %D ]
  %sum = call i32 @subgroupAdd(i32 %last) [ "convergencectrl"(token %entry) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
