; Convergent Operation Semantics, "Hoisting and sinking": the anchors of both arms become one above them.
; Equal. Each call meets only threads of its own arm, before and after; a partition of each arm's threads is
; the trace of one of all threads.
;
; RUN: convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}equal:

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
  br i1 %condition, label %B, label %C

B:
  call void @meet() [ "convergencectrl"(token %tok) ]
  br label %D

C:
  call void @meet() [ "convergencectrl"(token %tok) ]
  br label %D

D:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.anchor()
