; RUN: not convcheck verify %s | FileCheck %s

; Threads may get to %late one by one, but they came into the function together once.

; CHECK: error[S-ENTRY-BLOCK]
; CHECK: {{^}}1 error in 1 function

define void @not_at_the_start() convergent {
start:
  br label %late
late:
  %all = call token @llvm.experimental.convergence.entry()
  call void @barrier() [ "convergencectrl"(token %all) ]
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare void @barrier() convergent
