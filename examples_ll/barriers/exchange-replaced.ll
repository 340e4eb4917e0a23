; RUN: not convcheck refine %s | FileCheck %s

; An exchange through shared memory cannot be replaced by a constant: the barrier makes the neighbour's write visible,
; so what is read is not undef, and there is a launch in which it is not 0.
;
; CHECK: wrong
;
; CONVCHECK: --threads 2

@tile = internal addrspace(3) global [2 x i32] undef, align 4

define i32 @src(i32 %x) convergent {
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = and i32 %me, 1
  %own = getelementptr inbounds [2 x i32], ptr addrspace(3) @tile, i32 0, i32 %low
  store i32 %x, ptr addrspace(3) %own, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = xor i32 %low, 1
  %there = getelementptr inbounds [2 x i32], ptr addrspace(3) @tile, i32 0, i32 %other
  %seen = load i32, ptr addrspace(3) %there, align 4
  ret i32 %seen
}

define i32 @tgt(i32 %x) convergent {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret i32 0
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
