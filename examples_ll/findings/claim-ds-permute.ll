; Every lane sends 7 to lane 0: lane 0 has it, all others, to which nobody sends, have 0. LLVM calls the result uniform,
; for the operands are.
;
; Claim: %given
; Pass: amdgpu-uniform-intrinsic-combine
; Verdict: wrong
; RUN: convcheck uniform --why=%given %s | FileCheck %s
; CHECK: %given: divergent[U-SOURCE]

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @main() {
start:
  %given = call i32 @llvm.amdgcn.ds.permute(i32 0, i32 7)
  %theirs = call i32 @llvm.amdgcn.readlane.i32(i32 %given, i32 0)
  call void @show(i32 %theirs)
  ret void
}

declare i32 @llvm.amdgcn.ds.permute(i32, i32)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare void @show(i32)
