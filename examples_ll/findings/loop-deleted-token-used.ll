; A loop that only counts is deleted although its heart's token is used behind it: the operation is left with a
; poison token. LLVM with assertions (llvmlite's) ends itself instead.
;
; Pass: loop-deletion
; Verdict: invalid-output S-PRODUCER
; RUN: not convcheck refine %s %S/loop-deleted-token-used.after.ll --function @main --max-launches 40 | FileCheck %s
;
; CHECK: {{^}}invalid-output: @main
; CHECK: error[S-PRODUCER]

define i32 @main(i32 %x) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 3
  br i1 %more, label %head, label %break
break:
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %heart) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
