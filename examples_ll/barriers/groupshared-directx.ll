; RUN: convcheck enumerate --engine both -q %s | FileCheck %s --check-prefix=ALL
; RUN: convcheck run %s | FileCheck %s --check-prefix=ONE

; HLSL's GroupMemoryBarrierWithGroupSync orders groupshared memory (address space 3) for all threads of the group. It is
; met twice: the second time keeps the tile's next writes behind the reads.
;
; ALL: Alignments: 1 (complete)   Outcomes: 1
; ONE: Thread 0 returned 12
; ONE: Thread 1 returned 21
; ONE-NOT: race
;
; CONVCHECK: --threads 2

@tile = internal addrspace(3) global [2 x i32] undef, align 4

define i32 @swap_twice() convergent {
entry:
  %me = call i32 @llvm.dx.flattened.thread.id.in.group()
  %other = xor i32 %me, 1
  %own = getelementptr inbounds [2 x i32], ptr addrspace(3) @tile, i32 0, i32 %me
  %there = getelementptr inbounds [2 x i32], ptr addrspace(3) @tile, i32 0, i32 %other
  %value = add i32 %me, 1
  store i32 %value, ptr addrspace(3) %own, align 4
  call void @llvm.dx.group.memory.barrier.with.group.sync()
  %seen = load i32, ptr addrspace(3) %there, align 4
  call void @llvm.dx.group.memory.barrier.with.group.sync()
  %tens = mul i32 %seen, 10
  store i32 %tens, ptr addrspace(3) %own, align 4
  call void @llvm.dx.group.memory.barrier.with.group.sync()
  %back = load i32, ptr addrspace(3) %there, align 4
  %sum = add i32 %back, %seen
  ret i32 %sum
}

declare i32 @llvm.dx.flattened.thread.id.in.group()
declare void @llvm.dx.group.memory.barrier.with.group.sync() convergent
