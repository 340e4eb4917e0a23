; RUN: convcheck verify %s | FileCheck %s

; The heart stands in the header of a natural loop, which dominates the whole loop, wherever it is left or goes on.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @in_the_header(i1 %skip, i1 %again) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  br i1 %skip, label %latch, label %body
body:
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
