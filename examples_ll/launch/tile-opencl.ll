; RUN: convcheck run %s | FileCheck %s
; RUN: convcheck enumerate -q %s | FileCheck %s --check-prefix=ALL
; RUN: convcheck run %s --subgroup-size 2 | FileCheck %s --check-prefix=WAVES

; Two workgroups of 2 by 2 threads reverse a tile each. Each workgroup has a tile of its own; the barrier waits for all
; four of its threads, in one subgroup or in two, and for no thread of the other workgroup.
;
; CHECK: @tile (workgroup 0) = [0, 1, 10, 11]
; CHECK-NEXT: @tile (workgroup 1) = [2, 3, 12, 13]
; CHECK-NEXT: @reversed = [11, 10, 1, 0, 13, 12, 3, 2]
; ALL: Alignments: 1 (complete)   Outcomes: 1
; WAVES: @reversed = [11, 10, 1, 0, 13, 12, 3, 2]
;
; CONVCHECK: --grid 2 --workgroup 2,2

@tile = internal addrspace(3) global [4 x i32] poison, align 4
@reversed = global [8 x i32] zeroinitializer, align 4

define spir_kernel void @reverse() convergent {
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %here = call i64 @_Z19get_local_linear_idv()
  %group = call i64 @_Z12get_group_idj(i32 0)
  %tens = mul i64 %y, 10
  %both = add i64 %tens, %x
  %value = trunc i64 %both to i32
  %own = getelementptr [4 x i32], ptr addrspace(3) @tile, i64 0, i64 %here
  store i32 %value, ptr addrspace(3) %own, align 4
  call void @_Z7barrierj(i32 1)
  %there = sub i64 3, %here
  %from = getelementptr [4 x i32], ptr addrspace(3) @tile, i64 0, i64 %there
  %seen = load i32, ptr addrspace(3) %from, align 4
  %first = mul i64 %group, 4
  %index = add i64 %first, %here
  %to = getelementptr [8 x i32], ptr @reversed, i64 0, i64 %index
  store i32 %seen, ptr %to, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i64 @_Z19get_local_linear_idv() memory(none)
declare void @_Z7barrierj(i32) convergent
