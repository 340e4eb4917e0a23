; RUN: convcheck verify %s | FileCheck %s

; The bundle makes this call a convergent operation, but nothing else does. LLVM's documents do not agree on
; what that means.

; CHECK: warning[W-NOT-CONVERGENT]
; CHECK: {{^}}ok: 1 function of 1 file, 1 warning

define void @by_its_bundle_alone() {
  %group = call token @llvm.experimental.convergence.anchor()
  call void @plain() [ "convergencectrl"(token %group) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @plain()
