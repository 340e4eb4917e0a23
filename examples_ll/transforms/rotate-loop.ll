; A loop under a heart that tests first becomes one that tests last, behind a guard.
; Equal, as COS has it of transforms that move no convergent operation across a branch. The heart moves with
; its header: it no longer counts the visit that only leaves, but of the visits that go on to @meet the n-th
; stays the n-th for every thread.
;
; RUN: convcheck refine %s --threads 2 --assume range:%n=0..3 | FileCheck %s
;
; CHECK: {{^}}equal:

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
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %B, label %C

B:
  %counter = phi i32 [ %n, %A ], [ %less, %B ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  call void @meet() [ "convergencectrl"(token %inner) ]
  %less = sub nsw i32 %counter, 1
  %more = icmp sgt i32 %less, 0
  br i1 %more, label %B, label %C

C:
  ret void
}

declare void @meet() convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
