; The number of lanes in a wave becomes a constant, and lane numbers lose their upper bits.
; Equal: the function's target features say that a wave has 32 lanes, whatever number of them runs, and a lane is
; read by its number modulo that.
;
; RUN: convcheck refine %s --threads 2 | FileCheck %s
;
; CHECK: {{^}}equal:
; CHECK: note: a wave has 32 lanes, of which launches ran fewer

target triple = "amdgcn-amd-amdhsa"

define i32 @src(i32 %x, i32 %from) convergent "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %size = call i32 @llvm.amdgcn.wavefrontsize()
  %last = sub i32 %size, 1
  %lane = and i32 %from, %last
  %y = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 %lane) [ "convergencectrl"(token %entry) ]
  %sum = add i32 %y, %size
  ret i32 %sum
}

define i32 @tgt(i32 %x, i32 %from) convergent "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %y = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 %from) [ "convergencectrl"(token %entry) ]
  %sum = add i32 %y, 32
  ret i32 %sum
}

declare i32 @llvm.amdgcn.wavefrontsize()
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare token @llvm.experimental.convergence.entry()
