; RUN: convcheck uniform %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}@reads for amdgcn-amd-amdhsa:{{$}}
; CHECK-NEXT: {{^}}parameters:{{$}}
; CHECK-NEXT: {{^}}  %shared  uniform{{$}}
; CHECK-NEXT: {{^}}  %flat    uniform{{$}}
; CHECK-NEXT: {{^}}  %n       uniform{{$}}
; CHECK-NEXT: {{^}}start:{{$}}
; CHECK-NEXT: {{^}}  %early   uniform{{$}}
; CHECK-NEXT: {{^}}  %late    divergent[U-LOAD]: each thread may read something else{{$}}
; CHECK-NEXT: {{^}}  %own     divergent[U-LOAD]: each thread may read something else{{$}}
; CHECK-NEXT: {{^}}@reads  Values: 6, 2 divergent   Branches: 0, 0 divergent{{$}}

; %early is read before anything is written. %late may be read by one thread before another one's store, and by
; that one behind it. %own is from memory that may be each thread's own.

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @reads(ptr addrspace(1) %shared, ptr %flat, i32 %n) {
start:
  %early = load i32, ptr addrspace(1) %shared
  store i32 %n, ptr addrspace(1) %shared
  %late = load i32, ptr addrspace(1) %shared
  %own = load i32, ptr %flat
  ret void
}
