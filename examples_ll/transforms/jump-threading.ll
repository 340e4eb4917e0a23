; Convergent Operation Semantics, "Unstructured control flow": jump threading. C knows where it goes
; from whence it came, and is left out.
; Equal. The barrier uses the entry's token, so it is executed together by all threads that come to D, whichever
; way, and the same threads come.
;
; RUN: convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}equal:

define void @src(i1 %cond1, i1 %cond2) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %cond1, label %B, label %C

B:
  br label %C

C:
  %flag = phi i1 [ true, %A ], [ %cond2, %B ]
  br i1 %flag, label %D, label %E

D:
  call void @subgroupControlBarrier() [ "convergencectrl"(token %entry) ]
  br label %E

E:
  ret void
}

define void @tgt(i1 %cond1, i1 %cond2) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %cond1, label %B, label %D

B:
  br i1 %cond2, label %D, label %E

D:
  call void @subgroupControlBarrier() [ "convergencectrl"(token %entry) ]
  br label %E

E:
  ret void
}

declare void @subgroupControlBarrier() convergent
declare token @llvm.experimental.convergence.entry()
