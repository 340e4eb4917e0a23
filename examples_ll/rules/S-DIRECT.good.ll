; RUN: convcheck verify %s | FileCheck %s

; Other functions may be called through a pointer, and with a token, too.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @pointer_to_another(ptr %meet) {
  %group = call token @llvm.experimental.convergence.anchor()
  call void %meet() convergent [ "convergencectrl"(token %group) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
