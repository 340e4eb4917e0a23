; cold-code-outlined.ll after LLVM 22.1's `opt -passes=hotcoldsplit`, as it prints it.
;
; RUN: not convcheck verify %s | FileCheck %s
;
; CHECK: error[S-PRODUCER]

define void @main(i1 %x) #0 {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br i1 %x, label %codeRepl, label %out

codeRepl:
  call void @main.cold.1(token %all) #4
  br label %fail.ret

fail.ret:
  ret void

out:
  ret void
}

declare void @barrier() #0

declare void @failed(i32, i32, i32) #1

declare token @llvm.experimental.convergence.entry() #2

define internal void @main.cold.1(token %all) #3 {
newFuncRoot:
  br label %fail

fail:
  call void @failed(i32 1, i32 2, i32 3)
  call void @barrier() [ "convergencectrl"(token %all) ]
  call void @failed(i32 4, i32 5, i32 6)
  call void @barrier() [ "convergencectrl"(token %all) ]
  call void @failed(i32 7, i32 8, i32 9)
  br label %fail.ret.exitStub

fail.ret.exitStub:
  ret void
}

attributes #0 = { convergent }
attributes #1 = { cold }
attributes #2 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { cold minsize }
attributes #4 = { noinline }
