; RUN: not convcheck verify %s | FileCheck %s

; A cycle with two ways in has no block that dominates it, so no heart can stand in it.

; CHECK: error[S-HEART-DOM]
; CHECK: {{^}}1 error in 1 function

define void @two_ways_in(i1 %where, i1 %again) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br i1 %where, label %one, label %two
one:
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  call void @barrier() [ "convergencectrl"(token %turn) ]
  br label %two
two:
  br i1 %again, label %one, label %out
out:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare void @barrier() convergent
