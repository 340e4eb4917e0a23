; A loop without convergent operations stands between `entry` and the first use of its token: indvars takes
; the call of entry for an unused invariant and sinks it behind the loop.
;
; Pass: indvars
; Verdict: invalid-output S-ENTRY-BLOCK
; RUN: not convcheck refine %s %S/entry-sunk-below-loop.after.ll --function @main --max-launches 40 | FileCheck %s
;
; CHECK: {{^}}invalid-output: @main
; CHECK: error[S-ENTRY-BLOCK]

define i32 @main(i32 %n, i32 %x) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %out
out:
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %all) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
