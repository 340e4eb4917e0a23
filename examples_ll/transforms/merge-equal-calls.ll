; Two equal calls become one. The callee touches no memory but may not come back, so the first call is an event.
; Equal: it does the same again, and comes back if it did before. If it may read memory, a call that may write it must
; not stand between.
;
; RUN: convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}equal:

define i32 @src(i32 noundef %x) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %one = call i32 @weigh(i32 %x)
  %sum = call i32 @subgroupAdd(i32 %one) [ "convergencectrl"(token %entry) ]
  call void @report(i32 %sum)
  %two = call i32 @weigh(i32 %x)
  %difference = sub i32 %one, %two
  ret i32 %difference
}

define i32 @tgt(i32 noundef %x) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %one = call i32 @weigh(i32 %x)
  %sum = call i32 @subgroupAdd(i32 %one) [ "convergencectrl"(token %entry) ]
  call void @report(i32 %sum)
  ret i32 0
}

declare noundef i32 @weigh(i32) memory(none)
declare void @report(i32)
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
