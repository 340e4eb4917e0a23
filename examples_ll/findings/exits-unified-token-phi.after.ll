; exits-unified-token-phi.ll after LLVM 22.1's `opt -passes=unify-loop-exits`, as it prints it.
;
; RUN: not convcheck verify %s | FileCheck %s
;
; CHECK: error[S-DOM]

define i32 @main(i32 %x, i32 %n) #0 {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %stop = icmp eq i32 %i, %x
  br i1 %stop, label %loop.exit.guard, label %latch

latch:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %head, label %loop.exit.guard

break:
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %heart.moved) ]
  ret i32 %sum

out:
  ret i32 0

loop.exit.guard:
  %heart.moved = phi token [ %heart, %head ], [ %heart, %latch ]
  %Guard.break = phi i1 [ true, %head ], [ false, %latch ]
  br i1 %Guard.break, label %break, label %out
}

declare i32 @subgroupAdd(i32) #1

declare token @llvm.experimental.convergence.entry() #2

declare token @llvm.experimental.convergence.loop() #2

attributes #0 = { convergent }
attributes #1 = { convergent nounwind willreturn memory(none) }
attributes #2 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
