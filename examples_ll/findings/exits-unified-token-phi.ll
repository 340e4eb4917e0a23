; Two exits of a loop are made one, and the heart's token that one of them needs goes through a phi.
;
; Pass: unify-loop-exits
; Verdict: invalid-output S-DOM
; RUN: not convcheck refine %s %S/exits-unified-token-phi.after.ll --function @main --max-launches 40 | FileCheck %s
;
; CHECK: {{^}}invalid-output: @main
; CHECK: error[S-DOM]

define i32 @main(i32 %x, i32 %n) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %stop = icmp eq i32 %i, %x
  br i1 %stop, label %break, label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %head, label %out
break:
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %heart) ]
  ret i32 %sum
out:
  ret i32 0
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
