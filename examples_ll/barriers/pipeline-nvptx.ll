; RUN: convcheck run %s | FileCheck %s

; A warp that produces and a warp that consumes, with two of PTX's barriers between them: number 1 says that the tile is full, number
; 2 that it is empty again. Who arrives goes on; who waits counts, too. Each value is seen once, and nothing races.
;
; CHECK: Threads 0-31 returned -1
; CHECK: Threads 32-63 returned 510
; CHECK-NOT: race
;
; CONVCHECK: --threads 64 --arg %x=100

target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [32 x i32] undef, align 4
define i32 @f(i32 %x) convergent {
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = and i32 %me, 31
  %p = getelementptr inbounds [32 x i32], ptr addrspace(3) @tile, i32 0, i32 %slot
  %c = icmp ult i32 %me, 32
  br i1 %c, label %produce, label %consume
produce:
  br label %give
give:
  %i = phi i32 [0, %produce], [%j, %give]
  %v = add i32 %x, %i
  store i32 %v, ptr addrspace(3) %p, align 4
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 64)
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 2, i32 64)
  %j = add i32 %i, 1
  %d = icmp eq i32 %j, 5
  br i1 %d, label %given, label %give
consume:
  br label %take
take:
  %k = phi i32 [0, %consume], [%l, %take]
  %s = phi i32 [0, %consume], [%s2, %take]
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  %r = load i32, ptr addrspace(3) %p, align 4
  %s2 = add i32 %s, %r
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 2, i32 64)
  %l = add i32 %k, 1
  %e = icmp eq i32 %l, 5
  br i1 %e, label %taken, label %take
given:
  ret i32 -1
taken:
  ret i32 %s2
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
