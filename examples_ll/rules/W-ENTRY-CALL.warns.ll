; RUN: convcheck verify %s | FileCheck %s

; The alias leads to a convergent function, but a call by another name is no convergent operation: which threads
; enter @meet together is nobody's promise.

; CHECK: warning[W-ENTRY-CALL]
; CHECK: {{^}}ok: 2 functions of 1 file, 1 warning

define void @meet() convergent {
  %all = call token @llvm.experimental.convergence.entry()
  call void @barrier() [ "convergencectrl"(token %all) ]
  ret void
}

@other_name = alias void (), ptr @meet

define void @by_another_name() {
  call void @other_name()
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare void @barrier() convergent
