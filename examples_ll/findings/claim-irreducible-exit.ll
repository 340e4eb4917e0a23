; Threads enter a cycle at two places and leave it in different iterations. What readfirstlane gives in it is one for those
; who are together there, and another one in each iteration. LLVM assumes the cycle divergent, and then does not look
; at its exits: so the result counts as uniform behind them, too.
;
; Claim: %behind
; Pass: amdgpu-uniform-intrinsic-combine
; Verdict: wrong
; RUN: convcheck uniform --why=%behind %s | FileCheck %s
; CHECK: %behind: divergent[U-EXIT]: it depends on %first

target triple = "amdgcn-amd-amdhsa"

define i32 @main() {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %id to i1
  br i1 %odd, label %one, label %two
one:
  %i = phi i32 [ 0, %start ], [ %k, %two ]
  %next = add i32 %i, 1
  br label %two
two:
  %k = phi i32 [ 0, %start ], [ %next, %one ]
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %k)
  %again = icmp ult i32 %k, %id
  br i1 %again, label %one, label %out
out:
  %behind = add i32 %first, 5
  %theirs = call i32 @llvm.amdgcn.readlane.i32(i32 %behind, i32 0)
  ret i32 %theirs
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
