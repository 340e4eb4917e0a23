; RUN: not convcheck refine %s --passes "default<O2>" | FileCheck %s

; LLVM 22.1 declares HLSL's barriers (`llvm.dx` and `llvm.spv`: `...with.group.sync`) with the attributes that intrinsics
; have by default, `nosync` and `nocallback` among them. So its passes believe that no other thread can have written an internal
; variable meanwhile: here the read behind the last barrier is taken for the one before. (PTX's barrier has no `nosync`.)
;
; CHECK: wrong
; CHECK: Difference: thread 0 returns 10 in the source, 2 in the target
;
; CONVCHECK: --threads 2

@tile = internal addrspace(3) global [2 x i32] undef, align 4

define i32 @swap_twice() convergent {
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
  ret i32 %back
}

declare i32 @llvm.dx.flattened.thread.id.in.group()
declare void @llvm.dx.group.memory.barrier.with.group.sync() convergent
