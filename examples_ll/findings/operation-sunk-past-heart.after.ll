; operation-sunk-past-heart.ll after LLVM 22.1's `opt -passes=indvars`, as it prints it.
;
; RUN: not convcheck verify %s | FileCheck %s
;
; CHECK: error[S-NEST]

define i32 @main(i32 %x, i1 %again) #0 {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %x
  br i1 %more, label %head, label %out

out:
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %all) ]
  %last = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %heart) ]
  %r = add i32 %sum, %last
  ret i32 %r
}

declare i32 @subgroupAdd(i32) #1

declare token @llvm.experimental.convergence.entry() #2

declare token @llvm.experimental.convergence.loop() #2

attributes #0 = { convergent }
attributes #1 = { convergent nounwind willreturn memory(none) }
attributes #2 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
