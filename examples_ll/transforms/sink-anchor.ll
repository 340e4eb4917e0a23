; Convergent Operation Semantics, "Hoisting and sinking": an anchor that is used in one arm only is sunk into it.
; Equal. Only the threads of the arm communicate, however the anchor groups the others with them; and any
; partition of these threads is one that the anchor could have made before the branch.
;
; RUN: convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}equal:

define void @src(i1 %condition) {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  br i1 %condition, label %B, label %C

B:
  call void @meet() [ "convergencectrl"(token %tok) ]
  br label %C

C:
  ret void
}

define void @tgt(i1 %condition) {
A:
  br i1 %condition, label %B, label %C

B:
  %tok = call token @llvm.experimental.convergence.anchor()
  call void @meet() [ "convergencectrl"(token %tok) ]
  br label %C

C:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.anchor()
