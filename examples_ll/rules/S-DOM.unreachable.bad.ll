; RUN: not convcheck verify %s | FileCheck %s

; No path leads here, so everything dominates %nowhere; but within one block the definition comes first.
; LLVM 22.1 does not look at unreachable code.

; CHECK: warning[W-UNREACHABLE]
; CHECK: error[S-DOM]
; CHECK: LLVM 22.1 does not report this: unreachable code
; CHECK: warning[W-UNREACHABLE]
; CHECK: {{^}}1 error, 2 warnings in 1 function

define void @upside_down() {
start:
  ret void
nowhere:
  call void @barrier() [ "convergencectrl"(token %group) ]
  %group = call token @llvm.experimental.convergence.anchor()
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
