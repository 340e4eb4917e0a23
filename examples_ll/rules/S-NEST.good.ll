; RUN: convcheck verify %s | FileCheck %s

; The inner region opens and closes inside the outer one, as brackets do.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @brackets() {
  %outer = call token @llvm.experimental.convergence.anchor()
  %inner = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %inner) ]
  call void @barrier() [ "convergencectrl"(token %outer) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
