; exit-unswitched-from-heart.ll after LLVM 22.1's `opt -passes=simple-loop-unswitch`, as it prints it.
;
; RUN: not convcheck verify %s | FileCheck %s
;
; CHECK: error[S-DOM]

define i32 @main(i1 %inv, i32 %n) #0 {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br i1 %inv, label %break, label %entry.split

entry.split:
  br label %head

head:
  %i = phi i32 [ 0, %entry.split ], [ %next, %latch ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  br label %latch

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

declare i32 @subgroupAdd(i32) #1

declare token @llvm.experimental.convergence.entry() #2

declare token @llvm.experimental.convergence.loop() #2

attributes #0 = { convergent }
attributes #1 = { convergent nounwind willreturn memory(none) }
attributes #2 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
