; Convergent Operation Semantics, "Loop unrolling examples": by two where the trip count is known to be even,
; here because it is doubled, and so without a remainder.
; Equal. Round k of the source is the first or second call in round (k + 1) / 2 of the target, for every
; thread the same; the heart counts the rounds of both, so the same threads meet as often, in the same order.
;
; RUN: convcheck refine %s --threads 2 --assume range:%half=0..2 | FileCheck %s
;
; CHECK: {{^}}equal:

define void @src(i32 %half) {
A:
  %n = mul nuw nsw i32 %half, 2
  %outer = call token @llvm.experimental.convergence.anchor()
  br label %H

H:
  %counter = phi i32 [ %n, %A ], [ %less, %B ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %more = icmp sgt i32 %counter, 0
  br i1 %more, label %B, label %C

B:
  call void @meet() [ "convergencectrl"(token %inner) ]
  %less = sub nsw i32 %counter, 1
  br label %H

C:
  ret void
}

define void @tgt(i32 %half) {
A:
  %n = mul nuw nsw i32 %half, 2
  %outer = call token @llvm.experimental.convergence.anchor()
  br label %H

H:
  %counter = phi i32 [ %n, %A ], [ %less, %B ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %more = icmp sgt i32 %counter, 0
  br i1 %more, label %B, label %C

B:
  call void @meet() [ "convergencectrl"(token %inner) ]
  call void @meet() [ "convergencectrl"(token %inner) ]
  %less = sub nsw i32 %counter, 2
  br label %H

C:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
