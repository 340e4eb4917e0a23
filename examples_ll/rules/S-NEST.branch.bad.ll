; RUN: not convcheck verify %s | FileCheck %s

; The use of %outer in %left lies on a way to the use of %inner below; that %right goes there as well does not help.

; CHECK: error[S-NEST]
; CHECK: {{^}}1 error in 1 function

define void @one_arm(i1 %way) {
start:
  %outer = call token @llvm.experimental.convergence.anchor()
  br label %fork
fork:
  %inner = call token @llvm.experimental.convergence.anchor()
  br i1 %way, label %left, label %right
left:
  call void @barrier() [ "convergencectrl"(token %outer) ]
  br label %join
right:
  br label %join
join:
  call void @barrier() [ "convergencectrl"(token %inner) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
