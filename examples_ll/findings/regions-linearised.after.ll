; regions-linearised.ll after LLVM 22.1's `opt -passes=structurizecfg`, as it prints it.
;
; RUN: not convcheck verify %s | FileCheck %s
;
; CHECK: error[S-NEST]

define i32 @main(i32 %x, i1 %c) #0 {
entry:
  %c.inv = xor i1 %c, true
  %all = call token @llvm.experimental.convergence.entry()
  br label %again

again:
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  br i1 %c.inv, label %right, label %Flow

Flow:
  %0 = phi i32 [ %b, %right ], [ poison, %again ]
  %1 = phi i1 [ false, %right ], [ true, %again ]
  br i1 %1, label %left, label %join

left:
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %turn) ]
  br label %join

right:
  %b = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %all) ]
  br label %Flow

join:
  %r = phi i32 [ %0, %Flow ], [ %a, %left ]
  ret i32 %r
}

declare i32 @subgroupAdd(i32) #1

declare token @llvm.experimental.convergence.entry() #2

declare token @llvm.experimental.convergence.loop() #2

attributes #0 = { convergent }
attributes #1 = { convergent nounwind willreturn memory(none) }
attributes #2 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
