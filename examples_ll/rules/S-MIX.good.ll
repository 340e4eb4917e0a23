; RUN: convcheck verify %s | FileCheck %s

; Each function is of one kind. A call that is not convergent fits with both.

; CHECK: {{^}}ok: 2 functions of 1 file{{$}}

define void @controlled() {
  %group = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %group) ]
  call void @plain()
  ret void
}

define void @uncontrolled() convergent {
  call void @barrier()
  call void @plain()
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
declare void @plain()
