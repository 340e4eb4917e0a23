; RUN: not convcheck verify %s | FileCheck %s

; In unreachable code everything dominates everything, so the two hearts break this rule alone. LLVM 22.1 does
; not look.

; CHECK: error[S-CYCLE-TWO]
; CHECK: witness: nowhere -> further -> nowhere
; CHECK: error[S-CYCLE-TWO]
; CHECK: {{^}}2 errors, 6 warnings in 1 function

define void @two_hearts_nowhere() {
start:
  ret void
above:
  %some = call token @llvm.experimental.convergence.anchor()
  br label %nowhere
beside:
  %others = call token @llvm.experimental.convergence.anchor()
  br label %nowhere
nowhere:
  %one = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %some) ]
  br label %further
further:
  %two = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %others) ]
  br label %nowhere
}

declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
