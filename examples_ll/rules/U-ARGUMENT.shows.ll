; RUN: convcheck uniform %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}@kernel for amdgcn-amd-amdhsa:{{$}}
; CHECK-NEXT: {{^}}parameters:{{$}}
; CHECK-NEXT: {{^}}  %n  uniform{{$}}
; CHECK-NEXT: {{^}}@kernel  Values: 1, 0 divergent   Branches: 0, 0 divergent{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}@function for amdgcn-amd-amdhsa:{{$}}
; CHECK-NEXT: {{^}}parameters:{{$}}
; CHECK-NEXT: {{^}}  %n       divergent[U-ARGUMENT]: each thread may be given another value{{$}}
; CHECK-NEXT: {{^}}  %scalar  uniform{{$}}
; CHECK-NEXT: {{^}}@function  Values: 2, 1 divergent   Branches: 0, 0 divergent{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}@shader for amdgcn-amd-amdhsa:{{$}}
; CHECK-NEXT: {{^}}parameters:{{$}}
; CHECK-NEXT: {{^}}  %n       divergent[U-ARGUMENT]: each thread may be given another value{{$}}
; CHECK-NEXT: {{^}}  %scalar  uniform{{$}}
; CHECK-NEXT: {{^}}@shader  Values: 2, 1 divergent   Branches: 0, 0 divergent{{$}}

; The same parameters three times: a kernel's are uniform, a function's are what each thread passes, unless they
; are in scalar registers.

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @kernel(i32 %n) {
  ret void
}

define void @function(i32 %n, i32 inreg %scalar) {
  ret void
}

define amdgpu_ps void @shader(i32 %n, i32 inreg %scalar) {
  ret void
}
