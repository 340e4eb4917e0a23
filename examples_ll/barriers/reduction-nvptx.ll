; RUN: convcheck enumerate -q %s | FileCheck %s --check-prefix=ALL
; RUN: convcheck run %s | FileCheck %s --check-prefix=ONE

; A reduction tree as CUDA writes it: `__shared__ int tile[4]`, `__syncthreads()` between the levels. PTX's barrier orders
; all accesses before it with all behind it, in the CTA, so every sum is there when it is read.
;
; ALL: Alignments: 1 (complete)   Outcomes: 1
; ONE: @total = 10
; ONE-NOT: race
;
; CONVCHECK: --threads 4

target datalayout = "e-p3:32:32-i64:64"

@tile = internal addrspace(3) global [4 x i32] undef, align 4
@total = addrspace(1) global i32 0, align 4

define void @sum() convergent {
entry:
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr inbounds [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %me
  %mine = add i32 %me, 1
  store i32 %mine, ptr addrspace(3) %own, align 4
  br label %level

level:
  %reach = phi i32 [ 2, %entry ], [ %half, %next ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %adds = icmp ult i32 %me, %reach
  br i1 %adds, label %add, label %next

add:
  %other = add i32 %me, %reach
  %there = getelementptr inbounds [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %other
  %a = load i32, ptr addrspace(3) %own, align 4
  %b = load i32, ptr addrspace(3) %there, align 4
  %ab = add i32 %a, %b
  store i32 %ab, ptr addrspace(3) %own, align 4
  br label %next

next:
  %half = lshr i32 %reach, 1
  %again = icmp ne i32 %half, 0
  br i1 %again, label %level, label %end

end:
  %first = icmp eq i32 %me, 0
  br i1 %first, label %write, label %exit

write:
  %sum = load i32, ptr addrspace(3) @tile, align 4
  store i32 %sum, ptr addrspace(1) @total, align 4
  br label %exit

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
