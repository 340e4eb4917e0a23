; RUN: not convcheck verify %s | FileCheck %s

; An invoke uses its token like a call.

; CHECK: error[S-CYCLE-USE]
; CHECK: {{^}}1 error in 1 function

define void @invoked() convergent personality ptr @personality {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %body
body:
  invoke void @barrier() [ "convergencectrl"(token %all) ]
      to label %body unwind label %failed
failed:
  %why = landingpad { ptr, i32 } cleanup
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare void @barrier() convergent
declare i32 @personality(...)
