; A subgroup sum behind a loop with the token of the loop's heart: threads that leave in different iterations are
; not together there. AMDGPU's masks know nothing of that. LLVM 22 makes of the loop what @tgt has: lanes that leave
; wait for the whole loop, and the sum is one of all lanes.
;
; RUN: convcheck run --function @src --threads 2 --arg %n=1,2 %s | FileCheck %s --check-prefix=SOURCE
; RUN: not convcheck refine --max-launches 60 %s | FileCheck %s
;
; SOURCE: Threads 0, 1 returned 1
;
; CHECK: {{^}}wrong: @src -> @tgt
; CHECK: First difference: %sum thread 0 #1: alone in the source, in a group of threads 0, 1 in the target
; CHECK: %heart was executed for the 1st time with its token in thread 0, for the 2nd time in thread 1 (D-LOOP)

target triple = "amdgcn-amd-amdhsa"

define i32 @src(i32 %n) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %body
body:
  %i = phi i32 [ 0, %start ], [ %next, %body ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %next = add i32 %i, 1
  %done = icmp uge i32 %next, %n
  br i1 %done, label %exit, label %body
exit:
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %heart) ]
  ret i32 %sum
}

define i32 @tgt(i32 %n) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %body
body:
  %gone = phi i64 [ 0, %start ], [ %leaving, %body ]
  %i = phi i32 [ 0, %start ], [ %next, %body ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %next = add i32 %i, 1
  %done = icmp uge i32 %next, %n
  %leaving = call i64 @llvm.amdgcn.if.break.i64(i1 %done, i64 %gone)
  %left = call i1 @llvm.amdgcn.loop.i64(i64 %leaving)
  br i1 %left, label %exit, label %body
exit:
  call void @llvm.amdgcn.end.cf.i64(i64 %leaving)
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %heart) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i64 @llvm.amdgcn.if.break.i64(i1, i64)
declare i1 @llvm.amdgcn.loop.i64(i64)
declare void @llvm.amdgcn.end.cf.i64(i64)
