; RUN: not convcheck verify %s | FileCheck %s

; Unreachable blocks obey the rule as well. LLVM 22.1 does not look at them.

; CHECK: error[S-NEST]
; CHECK: LLVM 22.1 does not report this: unreachable code
; CHECK: {{^}}1 error, 4 warnings in 1 function

define void @crossed_where_nobody_comes() {
start:
  ret void
nowhere:
  %outer = call token @llvm.experimental.convergence.anchor()
  %inner = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %outer) ]
  call void @barrier() [ "convergencectrl"(token %inner) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
