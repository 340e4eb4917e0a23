; Cold code is outlined with the token that it uses as an argument: no function takes a token, and the new one
; is not even convergent.
;
; Pass: hotcoldsplit
; Verdict: invalid-output S-PRODUCER
; RUN: convcheck verify %s
; RUN: not convcheck verify %S/cold-code-outlined.after.ll | FileCheck %s
;
; CHECK: error[S-PRODUCER]

define void @main(i1 %x) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br i1 %x, label %fail, label %out
fail:
  call void @failed(i32 1, i32 2, i32 3)
  call void @barrier() [ "convergencectrl"(token %all) ]
  call void @failed(i32 4, i32 5, i32 6)
  call void @barrier() [ "convergencectrl"(token %all) ]
  call void @failed(i32 7, i32 8, i32 9)
  ret void
out:
  ret void
}

declare void @barrier() convergent
declare void @failed(i32, i32, i32) cold
declare token @llvm.experimental.convergence.entry()
