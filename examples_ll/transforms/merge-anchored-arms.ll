; Convergent Operation Semantics, "Hoisting and sinking", the other direction: anchored operations of both arms are merged into
; the join.
; Wrong: in the target threads of different arms can meet, in the source they never could. An anchor stands
; for an unknown set of threads, but for one that executes it.
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
  br i1 %condition, label %B, label %C

B:
  br label %D

C:
  br label %D

D:
  %tok = call token @llvm.experimental.convergence.anchor()
  call void @meet() [ "convergencectrl"(token %tok) ]
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.anchor()
