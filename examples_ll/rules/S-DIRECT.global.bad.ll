; RUN: not convcheck verify %s | FileCheck %s

; A table of functions may not hold a control intrinsic either.

; CHECK: error[S-DIRECT]
; CHECK: {{^}}1 error in 1 function

@table = global [2 x ptr] [ptr @plain, ptr @llvm.experimental.convergence.anchor]

declare token @llvm.experimental.convergence.anchor()
declare void @plain()
