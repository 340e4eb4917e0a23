; RUN: convcheck uniform %s | FileCheck %s
; RUN: convcheck uniform --why=%doubled %s | FileCheck %s --check-prefix=WHY
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}@anchored for amdgcn-amd-amdhsa:{{$}}
; CHECK-NEXT: {{^}}parameters:{{$}}
; CHECK-NEXT: {{^}}  %all      uniform{{$}}
; CHECK-NEXT: {{^}}start:{{$}}
; CHECK-NEXT: {{^}}  %id       divergent[U-SOURCE]: it tells threads from each other{{$}}
; CHECK-NEXT: {{^}}  %odd      divergent[U-DATA]: it depends on %id{{$}}
; CHECK-NEXT: {{^}}  %count    uniform{{$}}
; CHECK-NEXT: {{^}}out:{{$}}
; CHECK-NEXT: {{^}}  %doubled  divergent[U-TOKEN]: %count is the same only within groups of an anchor{{$}}
; CHECK-NEXT: {{^}}@anchored  Values: 5, 3 divergent   Branches: 0, 0 divergent{{$}}
; WHY: {{^}}%doubled: divergent[U-TOKEN]: %count is the same only within groups of an anchor ({{.*}}U-TOKEN.shows.ll:30:3){{$}}
; WHY-NEXT: {{^}}  %count: uniform ({{.*}}U-TOKEN.shows.ll:27:3){{$}}

; Below the anchor each group has one count. Behind the last use of its token the groups are together again, and have
; different ones: %doubled is divergent although %count is uniform.

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @anchored(i1 %all) convergent {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %id to i1
  %here = call token @llvm.experimental.convergence.anchor()
  %count = call i64 @llvm.amdgcn.ballot.i64(i1 %odd) [ "convergencectrl"(token %here) ]
  br label %out
out:
  %doubled = add i64 %count, %count
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare token @llvm.experimental.convergence.anchor()
