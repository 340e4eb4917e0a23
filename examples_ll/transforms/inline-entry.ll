; Convergent Operation Semantics, "llvm.experimental.convergence.entry": a callee with an entry token is
; inlined into a loop; the call's token takes the place of the entry's.
; Equal. The entry is converged exactly where the call is, and the call where the heart is (D-ENTRY, D-USE): the
; same threads meet with or without the frame between.
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
  call void @callee() [ "convergencectrl"(token %inner) ]
  %less = sub nsw i32 %counter, 1
  br label %H

C:
  ret void
}

define void @callee() convergent {
X:
  %entry = call token @llvm.experimental.convergence.entry()
  call void @meet() [ "convergencectrl"(token %entry) ]
  ret void
}

define void @tgt(i32 %n) {
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

declare void @meet() convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
