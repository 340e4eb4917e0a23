; RUN: not convcheck verify %s | FileCheck %s

; A thread in %aside uses %outer and goes on, through a cycle with two ways in, to use %inner. LLVM 22.1 sees that
; here, and not in irreducible-b, where the successors of the branch in %start are swapped.

; CHECK: error[S-NEST]
; CHECK: {{^}}1 error in 1 function

define void @around_the_cycle(i1 %first, i1 %again) {
start:
  %outer = call token @llvm.experimental.convergence.anchor()
  %inner = call token @llvm.experimental.convergence.anchor()
  br i1 %first, label %aside, label %right
aside:
  call void @barrier() [ "convergencectrl"(token %outer) ]
  br label %left
left:
  br label %right
right:
  br i1 %again, label %left, label %out
out:
  call void @barrier() [ "convergencectrl"(token %inner) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
