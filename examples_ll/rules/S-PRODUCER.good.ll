; RUN: convcheck verify %s | FileCheck %s

; Each of the three intrinsics makes a token that a bundle can hold.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @three_producers(i1 %again) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  call void @barrier() [ "convergencectrl"(token %all) ]
  br label %body
body:
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  call void @barrier() [ "convergencectrl"(token %turn) ]
  br i1 %again, label %body, label %out
out:
  %some = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %some) ]
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
