; RUN: not convcheck verify %s | FileCheck %s

; The function of irreducible-a with the successors of the branch in %start swapped. That changes nothing, but
; LLVM 22.1, which goes over the blocks once, now looks at %right before %left and takes it.

; CHECK: error[S-NEST]
; CHECK: LLVM 22.1 does not report this: nesting in an irreducible CFG
; CHECK: {{^}}1 error in 1 function

define void @around_the_cycle(i1 %first, i1 %again) {
start:
  %outer = call token @llvm.experimental.convergence.anchor()
  %inner = call token @llvm.experimental.convergence.anchor()
  br i1 %first, label %right, label %aside
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
