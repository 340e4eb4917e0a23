; RUN: not convcheck verify %s | FileCheck %s

; So does a callbr, though LLVM 22.1 does not look at its token.

; CHECK: error[S-CYCLE-USE]
; CHECK: LLVM 22.1 does not report this: callbr
; CHECK: {{^}}1 error in 1 function

define void @called_with_branches() convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %body
body:
  callbr void asm sideeffect "", "!i"() convergent [ "convergencectrl"(token %all) ]
      to label %body [label %out]
out:
  ret void
}

declare token @llvm.experimental.convergence.entry()
