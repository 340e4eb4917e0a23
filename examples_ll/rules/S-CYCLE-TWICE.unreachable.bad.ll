; RUN: not convcheck verify %s | FileCheck %s

; In unreachable code everything dominates everything, so the two hearts break this rule alone. LLVM 22.1 does
; not look.

; CHECK: error[S-CYCLE-TWICE]
; CHECK: witness: nowhere -> further -> nowhere
; CHECK: error[S-CYCLE-TWICE]
; CHECK: {{^}}2 errors, 4 warnings in 1 function

define void @both_hearts() convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  ret void
nowhere:
  %one = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  br label %further
further:
  %two = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  br label %nowhere
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
