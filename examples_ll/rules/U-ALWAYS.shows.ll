; RUN: convcheck uniform %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}@votes for amdgcn-amd-amdhsa:{{$}}
; CHECK-NEXT: {{^}}start:{{$}}
; CHECK-NEXT: {{^}}  %id     divergent[U-SOURCE]: it tells threads from each other{{$}}
; CHECK-NEXT: {{^}}  %first  uniform{{$}}
; CHECK-NEXT: {{^}}  %odd    divergent[U-DATA]: it depends on %id{{$}}
; CHECK-NEXT: {{^}}  %mask   uniform{{$}}
; CHECK-NEXT: {{^}}@votes  Values: 4, 2 divergent   Branches: 0, 0 divergent{{$}}

; What each lane has differs. What one lane has is the same for all who read it, and so is what they count together.

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @votes() {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %id)
  %odd = trunc i32 %id to i1
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 %odd)
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i64 @llvm.amdgcn.ballot.i64(i1)
