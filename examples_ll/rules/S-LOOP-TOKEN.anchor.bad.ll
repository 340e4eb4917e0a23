; RUN: not convcheck verify %s | FileCheck %s

; An anchor groups whom it likes; a token would say otherwise.

; CHECK: error[S-LOOP-TOKEN]
; CHECK: {{^}}1 error in 1 function

define void @bound_anchor() {
  %group = call token @llvm.experimental.convergence.anchor()
  %some = call token @llvm.experimental.convergence.anchor() [ "convergencectrl"(token %group) ]
  call void @barrier() [ "convergencectrl"(token %some) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
