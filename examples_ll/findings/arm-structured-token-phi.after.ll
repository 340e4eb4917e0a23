; arm-structured-token-phi.ll after LLVM 22.1's `opt -passes=structurizecfg`, as it prints it.
;
; RUN: not convcheck verify %s | FileCheck %s
;
; CHECK: error[S-PRODUCER]
; CHECK: error[S-DOM]

define i32 @main(i32 %x, i32 %y) {
entry:
  %near = icmp ult i32 %x, 2
  %near.inv = xor i1 %near, true
  br i1 %near, label %meet, label %Flow

meet:
  %group = call token @llvm.experimental.convergence.anchor()
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %group) ]
  %few = icmp uge i32 %sum, %y
  br label %Flow

Flow1:
  %0 = phi i1 [ false, %far ], [ %2, %Flow ]
  br i1 %0, label %again, label %out

again:
  %more = call i32 @subgroupAdd(i32 10) [ "convergencectrl"(token %1) ]
  br label %out

Flow:
  %1 = phi token [ %group, %meet ], [ poison, %entry ]
  %2 = phi i1 [ true, %meet ], [ false, %entry ]
  %3 = phi i1 [ %few, %meet ], [ %near.inv, %entry ]
  br i1 %3, label %far, label %Flow1

far:
  br label %Flow1

out:
  %r = phi i32 [ 0, %Flow1 ], [ %more, %again ]
  ret i32 %r
}

declare i32 @subgroupAdd(i32) #0

declare token @llvm.experimental.convergence.anchor() #1

attributes #0 = { convergent nounwind willreturn memory(none) }
attributes #1 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
