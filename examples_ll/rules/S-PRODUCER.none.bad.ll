; RUN: not convcheck verify %s | FileCheck %s

; `token none` is a constant: no dynamic instance made it.

; CHECK: error[S-PRODUCER]
; CHECK: {{^}}1 error in 1 function

define void @no_producer() {
  call void @barrier() [ "convergencectrl"(token none) ]
  ret void
}

declare void @barrier() convergent
