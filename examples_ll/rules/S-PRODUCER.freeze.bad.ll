; RUN: not convcheck verify %s | FileCheck %s

; LLVM lets a token pass through freeze, but its result comes from no intrinsic any more.

; CHECK: error[S-PRODUCER]
; CHECK: {{^}}1 error in 1 function

define void @frozen() {
  %group = call token @llvm.experimental.convergence.anchor()
  %same = freeze token %group
  call void @barrier() [ "convergencectrl"(token %same) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
