; RUN: not convcheck verify %s | FileCheck %s

; Two threads that iterate 2 and 3 times: which barrier of the one meets which of the other? The token is
; the same in all.

; CHECK: error[S-CYCLE-USE]
; CHECK: {{^}}1 error in 1 function

define void @outer_token(i1 %again) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %body
body:
  call void @barrier() [ "convergencectrl"(token %all) ]
  br i1 %again, label %body, label %out
out:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare void @barrier() convergent
