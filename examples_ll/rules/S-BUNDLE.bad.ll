; RUN: not convcheck verify %s | FileCheck %s

; Which of the two tokens says who meets at the barrier? A bundle has one.

; CHECK: error[S-BUNDLE]
; CHECK: {{^}}1 error in 1 function

define void @two_tokens() {
  %one = call token @llvm.experimental.convergence.anchor()
  %two = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %one, token %two) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
