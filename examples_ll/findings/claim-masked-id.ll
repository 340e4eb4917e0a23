; A work-item's number without its six lowest bits is one for the whole wave, and so LLVM takes "and" of the number and
; anything whose six lowest bits are zero for uniform. But here that is another mask in each lane.
;
; Claim: %masked
; Pass: amdgpu-uniform-intrinsic-combine
; Verdict: wrong
; RUN: convcheck uniform --why=%masked %s | FileCheck %s
; CHECK: %masked: divergent[U-DATA]: it depends on %mask
; CHECK-NEXT: %mask: divergent[U-DATA]: it depends on %id

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @main() "target-cpu"="gfx90a" !reqd_work_group_size !0 {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %mask = shl i32 %id, 6
  %masked = and i32 %id, %mask
  %theirs = call i32 @llvm.amdgcn.readlane.i32(i32 %masked, i32 0)
  call void @show(i32 %theirs)
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare void @show(i32)
!0 = !{i32 256, i32 1, i32 1}
