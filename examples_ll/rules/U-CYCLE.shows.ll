; RUN: convcheck uniform %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}@entered for amdgcn-amd-amdhsa:{{$}}
; CHECK-NEXT: {{^}}parameters:{{$}}
; CHECK-NEXT: {{^}}  %n      uniform{{$}}
; CHECK-NEXT: {{^}}start:{{$}}
; CHECK-NEXT: {{^}}  %id     divergent[U-SOURCE]: it tells threads from each other{{$}}
; CHECK-NEXT: {{^}}  %odd    divergent[U-DATA]: it depends on %id{{$}}
; CHECK-NEXT: {{^}}  branch  divergent[U-DATA]: it depends on %odd; threads meet at one, other{{$}}
; CHECK-NEXT: {{^}}one:{{$}}
; CHECK-NEXT: {{^}}  %a      divergent[U-CYCLE]: the cycle of one is not m-converged: threads part at the branch of start{{$}}
; CHECK-NEXT: {{^}}  %c      divergent[U-CYCLE]: the cycle of one is not m-converged: threads part at the branch of start{{$}}
; CHECK-NEXT: {{^}}other:{{$}}
; CHECK-NEXT: {{^}}  %b      divergent[U-CYCLE]: the cycle of one is not m-converged: threads part at the branch of start{{$}}
; CHECK-NEXT: {{^}}  %three  uniform{{$}}
; CHECK-NEXT: {{^}}  %more   divergent[U-CYCLE]: the cycle of one is not m-converged: threads part at the branch of start{{$}}
; CHECK-NEXT: {{^}}  branch  divergent[U-DATA]: it depends on %more; threads meet at out; some leave the cycle of one for out before others{{$}}
; CHECK-NEXT: {{^}}The cycle one other is not m-converged[U-CYCLE]: threads part at the branch of start and meet at one{{$}}
; CHECK-NEXT: {{^}}@entered  Values: 8, 6 divergent   Branches: 2, 2 divergent{{$}}

; A cycle with two entries, to which threads come on different ways. With one as the header they are converged in
; it at other times than with the other, so nothing that changes in it is called uniform.

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @entered(i32 %n) {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %id to i1
  br i1 %odd, label %one, label %other
one:
  %a = phi i32 [ 0, %start ], [ %b, %other ]
  %c = add i32 %a, 1
  br label %other
other:
  %b = phi i32 [ 5, %start ], [ %c, %one ]
  %three = add i32 1, 2
  %more = icmp ult i32 %b, %n
  br i1 %more, label %one, label %out
out:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
