; RUN: not convcheck verify %s | FileCheck %s

; A convergent callbr without a token is uncontrolled like any call. LLVM 22.1 does not look at it.

; CHECK: error[S-MIX]
; CHECK: LLVM 22.1 does not report this: callbr
; CHECK: {{^}}1 error in 1 function

define void @mixed_by_callbr() {
  %group = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %group) ]
  callbr void asm sideeffect "", "!i"() convergent
      to label %on [label %off]
on:
  ret void
off:
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
