; RUN: not convcheck verify %s | FileCheck %s

; A thread that comes by way of %two has no such token.

; CHECK: error[S-DOM]
; CHECK: {{^}}1 error in 1 function

define void @one_side_only(i1 %left) {
start:
  br i1 %left, label %one, label %two
one:
  %group = call token @llvm.experimental.convergence.anchor()
  br label %join
two:
  br label %join
join:
  call void @barrier() [ "convergencectrl"(token %group) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
