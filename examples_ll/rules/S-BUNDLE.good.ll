; RUN: convcheck verify %s | FileCheck %s

; One bundle with one token; a bundle with another tag beside it is nobody's business.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @one_token() {
  %group = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %group) ]
  call void @barrier() [ "note"(i32 7), "convergencectrl"(token %group) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
