; RUN: not convcheck verify %s | FileCheck %s

; A second bundle is as ambiguous as a second operand.

; CHECK: error[S-BUNDLE]
; CHECK: {{^}}1 error in 1 function

define void @two_bundles() {
  %group = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %group), "convergencectrl"(token %group) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
