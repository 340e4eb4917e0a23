; RUN: convcheck enumerate --engine both -q %s | FileCheck %s --check-prefix=ALL
; RUN: convcheck run %s | FileCheck %s --check-prefix=ONE

; A 2 by 2 matrix is transposed through local memory, as OpenCL C writes it: `barrier(CLK_LOCAL_MEM_FENCE)` orders what is in
; the local tile. What is in global memory it does not order, and need not: each thread touches its own elements.
;
; ALL: Alignments: 1 (complete)   Outcomes: 1
; ONE: @out = [1, 3, 2, 4]
; ONE-NOT: race
;
; CONVCHECK: --threads 4 --arg %me=0,1,2,3

@tile = internal addrspace(3) global [4 x i32] undef, align 4
@in = addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4
@out = addrspace(1) global [4 x i32] zeroinitializer, align 4

define spir_kernel void @transpose(i32 %me) convergent {
entry:
  %from = getelementptr inbounds [4 x i32], ptr addrspace(1) @in, i32 0, i32 %me
  %value = load i32, ptr addrspace(1) %from, align 4
  %own = getelementptr inbounds [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %me
  store i32 %value, ptr addrspace(3) %own, align 4
  call spir_func void @_Z7barrierj(i32 1)
  %row = lshr i32 %me, 1
  %column = and i32 %me, 1
  %down = shl i32 %column, 1
  %mirrored = or i32 %down, %row
  %there = getelementptr inbounds [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %mirrored
  %seen = load i32, ptr addrspace(3) %there, align 4
  %to = getelementptr inbounds [4 x i32], ptr addrspace(1) @out, i32 0, i32 %me
  store i32 %seen, ptr addrspace(1) %to, align 4
  ret void
}

declare spir_func void @_Z7barrierj(i32) convergent
