; Threads leave a loop together at its header, or each at its own moment below it, for one block: there a phi
; tells by which way a thread came. LLVM calls it uniform.
;
; Claim: %left
; Pass: amdgpu-uniform-intrinsic-combine
; Verdict: wrong
; RUN: convcheck uniform --why=%left %s | FileCheck %s
; CHECK: %left: divergent[U-JOIN]: threads that part at the branch of body meet here

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @main(i32 %n) {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %i = phi i32 [ 0, %start ], [ %next, %body ]
  %all = icmp eq i32 %i, %n
  br i1 %all, label %out, label %body
body:
  %next = add i32 %i, 1
  %mine = icmp eq i32 %i, %id
  br i1 %mine, label %out, label %head
out:
  %left = phi i32 [ 10, %head ], [ 20, %body ]
  %theirs = call i32 @llvm.amdgcn.readlane.i32(i32 %left, i32 0)
  call void @show(i32 %theirs)
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare void @show(i32)
