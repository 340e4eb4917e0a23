; RUN: not convcheck verify %s | FileCheck %s

; The rule holds at callbr too. LLVM 22.1 does not look at the bundles of a callbr.

; CHECK: error[S-BUNDLE]
; CHECK: LLVM 22.1 does not report this: callbr
; CHECK: {{^}}1 error in 1 function

define void @at_callbr() {
  %group = call token @llvm.experimental.convergence.anchor()
  callbr void asm sideeffect "", "!i"() convergent [ "convergencectrl"(token %group, token %group) ]
      to label %on [label %off]
on:
  ret void
off:
  ret void
}

declare token @llvm.experimental.convergence.anchor()
