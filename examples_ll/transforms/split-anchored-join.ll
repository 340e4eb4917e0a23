; The reverse of merge-anchored-arms.ll: an anchored operation behind a join is duplicated into both arms.
; Refines: who went the same way can still meet, and that is one of the partitions that the anchor could make.
;
; RUN: convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}refines:

define void @src(i1 %condition) {
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

define void @tgt(i1 %condition) {
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

declare void @meet() convergent
declare token @llvm.experimental.convergence.anchor()
