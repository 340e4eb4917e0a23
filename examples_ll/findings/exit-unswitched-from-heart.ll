; A loop-invariant exit in the header, and behind it an operation that uses the heart's token, as clang writes
; `if (...) { ...; break; }`: simple-loop-unswitch tests it in front of the loop, where there is no such token.
;
; Pass: simple-loop-unswitch
; Verdict: invalid-output S-DOM
; RUN: not convcheck refine %s %S/exit-unswitched-from-heart.after.ll --function @main --max-launches 40 | FileCheck %s
;
; CHECK: {{^}}invalid-output: @main
; CHECK: error[S-DOM]

define i32 @main(i1 %inv, i32 %n) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  br i1 %inv, label %break, label %latch
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
