; Convergent Operation Semantics, "Extended Cycles: Divergent Exit from a Loop": the block that is left by a
; break uses the heart's token; a transform gives it the token from outside the loop.
; Wrong. Threads that leave in different rounds were apart, for the heart counts the rounds; now they meet in C.
; (The block is not in the cycle: only the token says that it belongs to a round.)
;
; RUN: not convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: {{^}}Difference:

define void @src(i32 %n) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br label %H

H:
  %counter = phi i32 [ 0, %A ], [ %next, %D ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry) ]
  %more = icmp ult i32 %counter, 3
  br i1 %more, label %B, label %E

B:
  %found = icmp eq i32 %counter, %n
  br i1 %found, label %C, label %D

C:
  call void @meet() [ "convergencectrl"(token %inner) ]
  br label %E

D:
  %next = add nuw nsw i32 %counter, 1
  br label %H

E:
  ret void
}

define void @tgt(i32 %n) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br label %H

H:
  %counter = phi i32 [ 0, %A ], [ %next, %D ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry) ]
  %more = icmp ult i32 %counter, 3
  br i1 %more, label %B, label %E

B:
  %found = icmp eq i32 %counter, %n
  br i1 %found, label %C, label %D

C:
  call void @meet() [ "convergencectrl"(token %entry) ]
  br label %E

D:
  %next = add nuw nsw i32 %counter, 1
  br label %H

E:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
