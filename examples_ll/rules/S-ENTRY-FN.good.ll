; RUN: convcheck verify %s | FileCheck %s

; entry ties the threads in here to those that came together to the call: the function is convergent.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @tied_to_its_caller() convergent {
  %all = call token @llvm.experimental.convergence.entry()
  call void @barrier() [ "convergencectrl"(token %all) ]
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare void @barrier() convergent
