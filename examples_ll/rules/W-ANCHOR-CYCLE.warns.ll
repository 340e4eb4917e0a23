; RUN: convcheck verify %s | FileCheck %s

; Each iteration takes whatever threads happen to be there, and no other block knows of them.

; CHECK: warning[W-ANCHOR-CYCLE]
; CHECK: {{^}}ok: 1 function of 1 file, 1 warning

define void @anew_each_time(i1 %again) {
start:
  br label %body
body:
  %some = call token @llvm.experimental.convergence.anchor()
  call void @barrier() [ "convergencectrl"(token %some) ]
  br i1 %again, label %body, label %out
out:
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
