; Convergent Operation Semantics, "Loop unrolling examples": as unroll-full.ll, under an entry token.
; Equal, too, and here with one group: every thread of the launch makes the same three rounds together.
;
; RUN: convcheck refine %s --threads 2 | FileCheck %s
;
; CHECK: {{^}}equal:

define i32 @src(i32 %x) convergent {
A:
  %outer = call token @llvm.experimental.convergence.entry()
  br label %B

B:
  %i = phi i32 [ 0, %A ], [ %i.next, %B ]
  %sum = phi i32 [ %x, %A ], [ %sum.next, %B ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %sum.next = call i32 @subgroupAdd(i32 %sum) [ "convergencectrl"(token %inner) ]
  call void @meet() [ "convergencectrl"(token %inner) ]
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 3
  br i1 %more, label %B, label %C

C:
  ret i32 %sum.next
}

define i32 @tgt(i32 %x) convergent {
A:
  %outer = call token @llvm.experimental.convergence.entry()
  %sum.1 = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %outer) ]
  call void @meet() [ "convergencectrl"(token %outer) ]
  %sum.2 = call i32 @subgroupAdd(i32 %sum.1) [ "convergencectrl"(token %outer) ]
  call void @meet() [ "convergencectrl"(token %outer) ]
  %sum.3 = call i32 @subgroupAdd(i32 %sum.2) [ "convergencectrl"(token %outer) ]
  call void @meet() [ "convergencectrl"(token %outer) ]
  ret i32 %sum.3
}

declare void @meet() convergent
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
