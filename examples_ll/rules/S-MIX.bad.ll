; RUN: not convcheck verify %s | FileCheck %s

; Nothing says how the second barrier's group relates to that of the first.

; CHECK: error[S-MIX]
; CHECK: {{^}}1 error in 1 function

define void @mixed() {
  %group = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %group) ]
  call void @barrier()
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
