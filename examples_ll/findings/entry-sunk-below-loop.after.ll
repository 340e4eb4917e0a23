; entry-sunk-below-loop.ll after LLVM 22.1's `opt -passes=indvars`, as it prints it.
;
; RUN: not convcheck verify %s | FileCheck %s
;
; CHECK: error[S-ENTRY-BLOCK]

define i32 @main(i32 %n, i32 %x) #0 {
entry:
  br label %loop

loop:
  br i1 false, label %loop, label %out

out:
  %all = call token @llvm.experimental.convergence.entry()
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %all) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) #1

declare token @llvm.experimental.convergence.entry() #2

attributes #0 = { convergent }
attributes #1 = { convergent nounwind willreturn memory(none) }
attributes #2 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
