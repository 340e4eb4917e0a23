; indvars sinks a convergent operation behind a loop, between a heart and a use of the heart's token outside
; of the loop: now a use of the outer token stands in the heart's region.
;
; Pass: indvars
; Verdict: invalid-output S-NEST
; RUN: not convcheck refine %s %S/operation-sunk-past-heart.after.ll --function @main --max-launches 40 | FileCheck %s
;
; CHECK: {{^}}invalid-output: @main
; CHECK: error[S-NEST]

define i32 @main(i32 %x, i1 %again) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %all) ]
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %x
  br i1 %more, label %head, label %out
out:
  %last = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %heart) ]
  %r = add i32 %sum, %last
  ret i32 %r
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
