; RUN: not convcheck verify %s | FileCheck %s

; The n-th iteration of what? Without a token there is nothing to count from.

; CHECK: error[S-LOOP-TOKEN]
; CHECK: {{^}}1 error in 1 function

define void @counts_nothing(i1 %again) {
start:
  br label %body
body:
  %turn = call token @llvm.experimental.convergence.loop()
  call void @barrier() [ "convergencectrl"(token %turn) ]
  br i1 %again, label %body, label %out
out:
  ret void
}

declare token @llvm.experimental.convergence.loop()
declare void @barrier() convergent
