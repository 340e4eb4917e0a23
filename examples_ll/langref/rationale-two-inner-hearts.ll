; Convergent Operation Semantics, "Rationales for Static rules about cycles": two inner loops, whose
; hearts both refer to the anchor outside the outer loop. A closed path leads through both, past the
; definition of their token: nothing counts the rounds of the outer loop, and S-CYCLE-TWICE forbids
; it.
;
; RUN: not convcheck verify %s | FileCheck %s
;
; CHECK: error[S-CYCLE-TWICE]

define void @example(i1 %condition1, i1 %condition2, i1 %again) {
A:
  %anchor = call token @llvm.experimental.convergence.anchor()
  br label %B

B:
  br i1 %condition1, label %C, label %D

C:
  %loop.1 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %anchor) ]
  br i1 %again, label %C, label %D

D:
  br i1 %condition2, label %E, label %F

E:
  %loop.2 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %anchor) ]
  br i1 %again, label %E, label %F

F:
  br i1 %again, label %B, label %G

G:
  ret void
}

declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
