; From an inner loop threads go on with the outer one, each as often as its number says, or leave both for a third loop.
; LLVM looks for the outermost loop that they leave by comparing depths; the third loop is as deep as the outer one, so
; only the inner one counts as left. What the outer one has counted is taken for uniform in the third.
;
; Claim: %behind
; Pass: amdgpu-uniform-intrinsic-combine
; Verdict: wrong
; RUN: convcheck uniform --why=%behind %s | FileCheck %s
; CHECK: %behind: divergent[U-EXIT]: it depends on %next

target triple = "amdgcn-amd-amdhsa"

define i32 @main() {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %start ], [ %next, %inner ]
  %next = add i32 %i, 1
  br label %inner
inner:
  %again = phi i1 [ true, %outer ], [ false, %inner ]
  %round = icmp ult i32 %i, %id
  %leave = select i1 %round, i32 1, i32 2
  %way = select i1 %again, i32 0, i32 %leave
  switch i32 %way, label %inner [i32 1, label %outer i32 2, label %later]
later:
  %behind = add i32 %next, 5
  %theirs = call i32 @llvm.amdgcn.readlane.i32(i32 %behind, i32 0)
  br i1 %again, label %later, label %out
out:
  ret i32 %theirs
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
