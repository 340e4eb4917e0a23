; RUN: convcheck uniform %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}@half for amdgcn-amd-amdhsa:{{$}}
; CHECK-NEXT: {{^}}parameters:{{$}}
; CHECK-NEXT: {{^}}  %n       uniform{{$}}
; CHECK-NEXT: {{^}}start:{{$}}
; CHECK-NEXT: {{^}}  %id      divergent[U-SOURCE]: it tells threads from each other{{$}}
; CHECK-NEXT: {{^}}  %odd     divergent[U-DATA]: it depends on %id{{$}}
; CHECK-NEXT: {{^}}  branch   divergent[U-DATA]: it depends on %odd; threads meet at out{{$}}
; CHECK-NEXT: {{^}}out:{{$}}
; CHECK-NEXT: {{^}}  %half    divergent[U-UNDEF]: threads that part at the branch of start meet here, some with undef or poison{{$}}
; CHECK-NEXT: {{^}}  %frozen  divergent[U-UNDEF]: freeze may choose another value in each thread{{$}}
; CHECK-NEXT: {{^}}@half  Values: 5, 4 divergent   Branches: 1, 1 divergent{{$}}

; Threads that come from left have %n, the others undef. If a compiler calls %half uniform, it may take the own
; value for that of another lane, and then the threads from right have no value where they had %n.

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @half(i32 %n) {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %id to i1
  br i1 %odd, label %left, label %right
left:
  br label %out
right:
  br label %out
out:
  %half = phi i32 [ %n, %left ], [ undef, %right ]
  %frozen = freeze i32 undef
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
