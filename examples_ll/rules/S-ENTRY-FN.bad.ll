; RUN: not convcheck verify %s | FileCheck %s

; Nothing keeps calls of a function without the attribute where they are, so their groups mean nothing.

; CHECK: error[S-ENTRY-FN]
; CHECK: {{^}}1 error in 1 function

define void @untied() {
  %all = call token @llvm.experimental.convergence.entry()
  call void @barrier() [ "convergencectrl"(token %all) ]
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare void @barrier() convergent
