; RUN: not convcheck verify %s | FileCheck %s

; The barrier under its own anchor belongs to the iteration, but would run before it is counted.

; CHECK: warning[W-ANCHOR-CYCLE]
; CHECK: error[S-LOOP-FIRST]
; CHECK: {{^}}1 error, 1 warning in 1 function

define void @barrier_above(i1 %again) {
start:
  %group = call token @llvm.experimental.convergence.anchor()
  br label %body
body:
  %own = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %own) ]
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %group) ]
  call void @barrier() [ "convergencectrl"(token %turn) ]
  br i1 %again, label %body, label %out
out:
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
declare void @barrier() convergent
