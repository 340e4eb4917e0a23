; RUN: not convcheck verify %s | FileCheck %s

; %inner is still to be used where %outer is: the two regions overlap without one holding the other.

; CHECK: error[S-NEST]
; CHECK: {{^}}1 error in 1 function

define void @crossed() {
  %outer = call token @llvm.experimental.convergence.anchor()
  %inner = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %outer) ]
  call void @barrier() [ "convergencectrl"(token %inner) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
