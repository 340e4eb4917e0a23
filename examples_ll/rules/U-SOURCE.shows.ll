; RUN: convcheck uniform %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}@numbers for amdgcn-amd-amdhsa:{{$}}
; CHECK-NEXT: {{^}}start:{{$}}
; CHECK-NEXT: {{^}}  %item   divergent[U-SOURCE]: it tells threads from each other{{$}}
; CHECK-NEXT: {{^}}  %group  uniform{{$}}
; CHECK-NEXT: {{^}}@numbers  Values: 2, 1 divergent   Branches: 0, 0 divergent{{$}}

; The number of a work-item tells threads from each other. The number of the workgroup does not.

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @numbers() {
start:
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
