; RUN: convcheck verify %s | FileCheck %s

; loop says whose iterations it counts; entry and anchor depend on no token.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @each_as_it_should(i1 %again) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %body
body:
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  call void @barrier() [ "convergencectrl"(token %turn) ]
  br i1 %again, label %body, label %out
out:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare void @barrier() convergent
