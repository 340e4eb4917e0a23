; RUN: not convcheck verify %s | FileCheck %s

; @plain is not convergent; the attribute at its call site makes that call an uncontrolled operation.

; CHECK: error[S-MIX]
; CHECK: {{^}}1 error in 1 function

define void @mixed_by_attribute() {
  %group = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %group) ]
  call void @plain() convergent
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
declare void @plain()
