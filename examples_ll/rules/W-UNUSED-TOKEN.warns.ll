; RUN: convcheck verify %s | FileCheck %s

; Nobody asks for this token: is a bundle missing, or is the call left over?

; CHECK: warning[W-UNUSED-TOKEN]
; CHECK: {{^}}ok: 1 function of 1 file, 1 warning

define void @for_nothing() convergent {
  %all = call token @llvm.experimental.convergence.anchor()
  ret void
}

declare token @llvm.experimental.convergence.anchor()
