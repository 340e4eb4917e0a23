; loop-deleted-token-used.ll after LLVM 22.1's `opt -passes=loop-deletion`, as it prints it.
;
; RUN: not convcheck verify %s | FileCheck %s
;
; CHECK: error[S-PRODUCER]

define i32 @main(i32 %x) #0 {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br label %break

break:
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token poison) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) #1

declare token @llvm.experimental.convergence.entry() #2

declare token @llvm.experimental.convergence.loop() #2

attributes #0 = { convergent }
attributes #1 = { convergent nounwind willreturn memory(none) }
attributes #2 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
