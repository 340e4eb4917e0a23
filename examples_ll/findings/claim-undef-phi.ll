; Lane 1 has %n, lane 0 undef. LLVM calls the phi uniform, as if undef were %n in all lanes, and replaces a read of
; lane 1 by the own value: then lane 0 has anything.
;
; Claim: %half
; Pass: amdgpu-uniform-intrinsic-combine
; Verdict: wrong
; RUN: convcheck uniform --why=%half %s | FileCheck %s
; CHECK: %half: divergent[U-UNDEF]: threads that part at the branch of start meet here, some with undef or poison

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @main(i32 %n) {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %id to i1
  br i1 %odd, label %left, label %out
left:
  br label %out
out:
  %half = phi i32 [ %n, %left ], [ poison, %start ]
  %theirs = call i32 @llvm.amdgcn.readlane.i32(i32 %half, i32 1)
  call void @show(i32 %theirs)
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare void @show(i32)
