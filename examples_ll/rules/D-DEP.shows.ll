; RUN: convcheck refine %s --threads 2 | FileCheck %s
; RUN: convcheck enumerate -q --function @src --path "start turn turn out" --path "start turn turn out" --threads 2 %s | FileCheck %s --check-prefix=SOURCE
; RUN: convcheck enumerate -q --function @tgt --path "start turn turn out" --path "start turn turn out" --threads 2 %s | FileCheck %s --check-prefix=TARGET
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}equal: @src -> @tgt: each does what the other may do{{$}}
; CHECK-NEXT: {{^}}Established: all inputs tried: 8 launches, 2 threads{{$}}
; SOURCE: {{^}}Alignments: 4 (complete)   Outcomes: 4{{$}}
; TARGET: {{^}}Alignments: 6 (complete)   Outcomes: 6{{$}}

; Nobody needs what the sum below the heart gives, and the target leaves it out, with the heart. In the order of the
; text the heart keeps the anchored counts of different rounds apart, so that the target has alignments more
; (D-ORDER). But no count depends on that sum: judged by dependence the source may do all that the target does.

define i32 @src(i1 %again) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %turn
turn:
  %counts = phi i32 [ 0, %start ], [ %counts.next, %turn ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %unused = call i32 @subgroupAdd(i32 5) [ "convergencectrl"(token %heart) ]
  %some = call token @llvm.experimental.convergence.anchor()
  %count = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %some) ]
  %shifted = mul i32 %counts, 10
  %counts.next = add i32 %shifted, %count
  %more = icmp ult i32 %counts.next, 10
  %on = and i1 %more, %again
  br i1 %on, label %turn, label %out
out:
  ret i32 %counts.next
}

define i32 @tgt(i1 %again) convergent {
start:
  br label %turn
turn:
  %counts = phi i32 [ 0, %start ], [ %counts.next, %turn ]
  %some = call token @llvm.experimental.convergence.anchor()
  %count = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %some) ]
  %shifted = mul i32 %counts, 10
  %counts.next = add i32 %shifted, %count
  %more = icmp ult i32 %counts.next, 10
  %on = and i1 %more, %again
  br i1 %on, label %turn, label %out
out:
  ret i32 %counts.next
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
