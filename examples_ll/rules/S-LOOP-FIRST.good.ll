; RUN: convcheck verify %s | FileCheck %s

; The heart comes first in its block, so that the whole iteration is behind one count.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @heart_first(i1 %again) {
start:
  %group = call token @llvm.experimental.convergence.anchor()
  br label %body
body:
  call void @plain()
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %group) ]
  call void @barrier() [ "convergencectrl"(token %turn) ]
  br i1 %again, label %body, label %out
out:
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
declare void @barrier() convergent
declare void @plain()
