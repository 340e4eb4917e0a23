; RUN: not convcheck verify %s | FileCheck %s

; The cycle cannot be reached, and is still checked: a pass could make it reachable by folding a branch the
; other way. LLVM 22.1 does not look at unreachable code.

; CHECK: warning[W-UNREACHABLE]
; CHECK: error[S-CYCLE-USE]
; CHECK: LLVM 22.1 does not report this: unreachable code
; CHECK: {{^}}1 error, 1 warning in 1 function

define void @nobody_comes() convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  ret void
body:
  call void @barrier() [ "convergencectrl"(token %all) ]
  br label %body
}

declare token @llvm.experimental.convergence.entry()
declare void @barrier() convergent
