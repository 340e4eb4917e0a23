; Convergent Operation Semantics, "Loop unrolling examples": by two with a remainder, under a heart
; whose token comes from the entry.
; Wrong already with 1 and 2 rounds. The entry leaves no choice, so both threads are in round 1 of the source
; together; in the target one makes it in D and the other in B.
;
; RUN: not convcheck refine %s --assume range:%n=0..2 | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: {{^}}Difference:

define void @src(i32 %n) convergent {
A:
  %outer = call token @llvm.experimental.convergence.entry()
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

define void @tgt(i32 %n) convergent {
A:
  %outer = call token @llvm.experimental.convergence.entry()
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
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
