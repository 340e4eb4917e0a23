; RUN: convcheck uniform %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}@computed for amdgcn-amd-amdhsa:{{$}}
; CHECK-NEXT: {{^}}parameters:{{$}}
; CHECK-NEXT: {{^}}  %n      uniform{{$}}
; CHECK-NEXT: {{^}}start:{{$}}
; CHECK-NEXT: {{^}}  %id     divergent[U-SOURCE]: it tells threads from each other{{$}}
; CHECK-NEXT: {{^}}  %sum    divergent[U-DATA]: it depends on %id{{$}}
; CHECK-NEXT: {{^}}  %other  uniform{{$}}
; CHECK-NEXT: {{^}}  %few    divergent[U-DATA]: it depends on %sum{{$}}
; CHECK-NEXT: {{^}}  branch  divergent[U-DATA]: it depends on %few; threads meet at out{{$}}
; CHECK-NEXT: {{^}}@computed  Values: 5, 3 divergent   Branches: 1, 1 divergent{{$}}

; From %id on all is divergent that is computed of it, the branch included.

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @computed(i32 %n) {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %sum = add i32 %id, %n
  %other = add i32 %n, 1
  %few = icmp ult i32 %sum, 3
  br i1 %few, label %some, label %out
some:
  br label %out
out:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
