; RUN: convcheck enumerate -q %s | FileCheck %s --check-prefix=ALL
; RUN: convcheck run %s | FileCheck %s --check-prefix=ONE

; What clang makes of OpenCL's `barrier(CLK_LOCAL_MEM_FENCE)` for AMD: a barrier that orders nothing, between a release fence and
; an acquire fence, and tags that name local memory. The note about @count shows what they leave out: thread 0's write to
; global memory is not ordered with thread 1's read.
;
; ALL: Alignments: 1 (complete)   Outcomes: 1
; ONE: Thread 0 returned 11
; ONE: Thread 1 returned 10
; ONE: @seen = undef
; ONE-NOT: accesses to @tile race
; ONE: note: race on @count: store by thread 0 ({{.*}}:{{[0-9]+}}:3), load by thread 1
;
; CONVCHECK: --threads 2 --arg %me=0,1

@tile = internal addrspace(3) global [2 x i32] undef, align 4
@count = addrspace(1) global i32 0, align 4
@seen = addrspace(1) global i32 0, align 4

define i32 @exchange(i32 %me) convergent {
entry:
  %value = add i32 %me, 10
  %own = getelementptr inbounds [2 x i32], ptr addrspace(3) @tile, i32 0, i32 %me
  store i32 %value, ptr addrspace(3) %own, align 4
  %first = icmp eq i32 %me, 0
  br i1 %first, label %write, label %wait

write:
  store i32 1, ptr addrspace(1) @count, align 4
  br label %wait

wait:
  fence syncscope("workgroup") release, !mmra !0
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire, !mmra !0
  %other = xor i32 %me, 1
  %there = getelementptr inbounds [2 x i32], ptr addrspace(3) @tile, i32 0, i32 %other
  %got = load i32, ptr addrspace(3) %there, align 4
  br i1 %first, label %end, label %look

look:
  %count = load i32, ptr addrspace(1) @count, align 4
  store i32 %count, ptr addrspace(1) @seen, align 4
  br label %end

end:
  ret i32 %got
}

declare void @llvm.amdgcn.s.barrier() convergent

!0 = !{!"amdgpu-synchronize-as", !"local"}
