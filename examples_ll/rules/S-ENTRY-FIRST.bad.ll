; RUN: not convcheck verify %s | FileCheck %s

; An anchor is a convergent operation, and it comes before entry.

; CHECK: error[S-ENTRY-FIRST]
; CHECK: {{^}}1 error in 1 function

define void @anchor_above() convergent {
  %some = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %some) ]
  %all = call token @llvm.experimental.convergence.entry()
  call void @barrier() [ "convergencectrl"(token %all) ]
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
