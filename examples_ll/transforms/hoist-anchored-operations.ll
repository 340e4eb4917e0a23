; Convergent Operation Semantics, "Hoisting and sinking": not only the anchors of hoist-anchors.ll are hoisted, but the
; operations with them.
; Wrong: threads of both arms may meet now. No anchor in an arm could have brought them together.
;
; RUN: not convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: {{^}}Difference:

define void @src(i1 %condition) {
A:
  br i1 %condition, label %B, label %C

B:
  %tok.b = call token @llvm.experimental.convergence.anchor()
  call void @meet() [ "convergencectrl"(token %tok.b) ]
  br label %D

C:
  %tok.c = call token @llvm.experimental.convergence.anchor()
  call void @meet() [ "convergencectrl"(token %tok.c) ]
  br label %D

D:
  ret void
}

define void @tgt(i1 %condition) {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  call void @meet() [ "convergencectrl"(token %tok) ]
  br i1 %condition, label %B, label %C

B:
  br label %D

C:
  br label %D

D:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.anchor()
