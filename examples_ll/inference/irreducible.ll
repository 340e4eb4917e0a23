; A cycle with two entries, B and C: before a heart can count its iterations it gets one entry, a block that
; dispatches. A thread passes the same other blocks as before.
;
; RUN: convcheck infer -q %s | FileCheck %s
;
; CHECK: ; convcheck infer: @two_entries: the cycle of %B %C is irreducible, with entries %B, %C
; CHECK: B.dispatch:
; CHECK-NEXT: %B.entered = phi i1 [ false, %A.to.B ], [ true, %A.to.C ], [ false, %C ]
; CHECK: %loop.B.dispatch = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry) ]
; CHECK-NEXT: br i1 %B.entered, label %C, label %B

declare void @meet() convergent

define void @two_entries(i1 %to.B, i1 %again) convergent {
A:
  br i1 %to.B, label %B, label %C

B:
  call void @meet()
  br label %C

C:
  br i1 %again, label %B, label %D

D:
  ret void
}
