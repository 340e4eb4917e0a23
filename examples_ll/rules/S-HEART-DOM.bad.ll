; RUN: not convcheck verify %s | FileCheck %s

; An iteration that skips %body is not counted, so the counts of two threads say nothing about their iterations.

; CHECK: error[S-HEART-DOM]
; CHECK: {{^}}1 error in 1 function

define void @not_in_every_iteration(i1 %skip, i1 %again) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  br i1 %skip, label %latch, label %body
body:
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  call void @barrier() [ "convergencectrl"(token %turn) ]
  br label %latch
latch:
  br i1 %again, label %head, label %out
out:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare void @barrier() convergent
