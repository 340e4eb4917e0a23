; An anchor may split the wave, and then each part has a count of its own. Behind the anchor's region all are together
; again, with different counts. LLVM calls the count uniform everywhere: its analysis does not look at tokens.
;
; Claim: %doubled
; Pass: amdgpu-uniform-intrinsic-combine
; Verdict: wrong
; RUN: convcheck uniform --why=%doubled %s | FileCheck %s
; CHECK: %doubled: divergent[U-TOKEN]: %count is the same only within groups of an anchor

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @main() convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %id to i1
  %some = call token @llvm.experimental.convergence.anchor()
  %count = call i32 @llvm.amdgcn.ballot.i32(i1 %odd) [ "convergencectrl"(token %some) ]
  br label %out
out:
  %doubled = add i32 %count, %count
  %theirs = call i32 @llvm.amdgcn.readlane.i32(i32 %doubled, i32 0) [ "convergencectrl"(token %all) ]
  call void @show(i32 %theirs)
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ballot.i32(i1)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
declare void @show(i32)
