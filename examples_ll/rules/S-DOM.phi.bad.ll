; RUN: not convcheck verify %s | FileCheck %s

; A phi would give threads tokens of different operations under one name.

; CHECK: error[S-DOM]
; CHECK: {{^}}1 error in 1 function

define void @through_phi(i1 %left) {
start:
  br i1 %left, label %one, label %two
one:
  %first = call token @llvm.experimental.convergence.anchor()
  br label %join
two:
  %second = call token @llvm.experimental.convergence.anchor()
  br label %join
join:
  %either = phi token [ %first, %one ], [ %second, %two ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
