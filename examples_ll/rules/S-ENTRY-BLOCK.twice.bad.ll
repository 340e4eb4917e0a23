; RUN: not convcheck verify %s | FileCheck %s

; A function is entered once per call, so one token says it all. A second entry also breaks S-ENTRY-FIRST,
; since the first one precedes it.

; CHECK: error[S-ENTRY-BLOCK]
; CHECK: error[S-ENTRY-FIRST]
; CHECK: {{^}}2 errors in 1 function

define void @twice() convergent {
  %all = call token @llvm.experimental.convergence.entry()
  call void @barrier() [ "convergencectrl"(token %all) ]
  %again = call token @llvm.experimental.convergence.entry()
  call void @barrier() [ "convergencectrl"(token %again) ]
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare void @barrier() convergent
