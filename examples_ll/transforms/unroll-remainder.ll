; Convergent Operation Semantics, "Loop unrolling examples": by two, with a remainder, under a heart
; whose token comes from an anchor. The remainder gets a heart of its own.
; Wrong. In the source, round k of one thread meets round k of the other or, where the anchor splits them,
; nobody ever. In the target with 3 and 4 rounds, joined by the anchor, the threads meet in rounds 1 and 2,
; and then no more: round 3 is @meet in D for one and in B for the other, two operations of the text.
; Trip counts to 2 do not show it: there the target only does less, as if the anchor had split them.
;
; RUN: not convcheck refine %s --assume range:%n=0..4 | FileCheck %s --check-prefix=WRONG
; RUN: convcheck refine %s --threads 2 --assume range:%n=0..2 | FileCheck %s --check-prefix=FEW
;
; WRONG: {{^}}wrong:
; WRONG: {{^}}Difference:
; FEW: {{^}}refines:

define void @src(i32 %n) {
A:
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

define void @tgt(i32 %n) {
A:
  %outer = call token @llvm.experimental.convergence.anchor()
  br label %H

H:
  %counter = phi i32 [ %n, %A ], [ %less, %B ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %two = icmp sgt i32 %counter, 1
  br i1 %two, label %B, label %C

B:
  call void @meet() [ "convergencectrl"(token %inner) ]
  call void @meet() [ "convergencectrl"(token %inner) ]
  %less = sub nsw i32 %counter, 2
  br label %H

C:
  %odd = icmp sgt i32 %counter, 0
  br i1 %odd, label %D, label %E

D:
  %remainder = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  call void @meet() [ "convergencectrl"(token %remainder) ]
  br label %E

E:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
