; RUN: not convcheck verify %s | FileCheck %s

; A cycle with two hearts would count its iterations in two ways. Two hearts in one header also break
; S-LOOP-FIRST, and the regions of the two tokens from outside overlap (S-NEST).

; CHECK: error[S-CYCLE-TWO]
; CHECK: error[S-LOOP-FIRST]
; CHECK: error[S-CYCLE-TWO]
; CHECK: error[S-NEST]
; CHECK: {{^}}4 errors, 1 warning in 1 function

define void @two_hearts(i1 %again) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  %some = call token @llvm.experimental.convergence.anchor()
  br label %body
body:
  %one = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %some) ]
  %two = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  call void @barrier() [ "convergencectrl"(token %two) ]
  br i1 %again, label %body, label %out
out:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
