; RUN: convcheck run %s | FileCheck %s
; RUN: convcheck enumerate -q %s | FileCheck %s --check-prefix=ALL

; A barrier in two halves, as gfx12 has it: each wave signals that its part of the tile is written, works on what is its own, and
; waits only then. The fences order memory around the halves; without the wait, the load would race.
;
; CHECK: Thread 0 returned 113
; CHECK: Thread 1 returned 122
; CHECK: Thread 2 returned 131
; CHECK: Thread 3 returned 140
; CHECK-NOT: race
; ALL: Alignments: 1 (complete)   Outcomes: 1
;
; CONVCHECK: --threads 4 --subgroup-size 2 --arg %x=10,11,12,13 --arg %me=0,1,2,3

@tile = internal addrspace(3) global [4 x i32] undef, align 4

declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)

define i32 @f(i32 %x, i32 %me) convergent {
  %own = getelementptr inbounds [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %me
  store i32 %x, ptr addrspace(3) %own, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier.signal(i32 -1)
  %work = mul i32 %x, 10
  call void @llvm.amdgcn.s.barrier.wait(i16 -1)
  fence syncscope("workgroup") acquire
  %opposite = xor i32 %me, 3
  %there = getelementptr inbounds [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %opposite
  %seen = load i32, ptr addrspace(3) %there, align 4
  %sum = add i32 %work, %seen
  ret i32 %sum
}
