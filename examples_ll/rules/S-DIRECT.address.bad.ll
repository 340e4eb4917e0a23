; RUN: not convcheck verify %s | FileCheck %s

; Who has the address could call it.

; CHECK: error[S-DIRECT]
; CHECK: {{^}}1 error in 1 function

define void @hands_it_out(ptr %where) {
  store ptr @llvm.experimental.convergence.anchor, ptr %where
  ret void
}

declare token @llvm.experimental.convergence.anchor()
