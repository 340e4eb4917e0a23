; RUN: convcheck enumerate --engine both -q %s | FileCheck %s --check-prefix=ALL
; RUN: convcheck run %s | FileCheck %s --check-prefix=ONE

; SPIR-V's OpControlBarrier with execution and memory scope Workgroup and semantics AcquireRelease | WorkgroupMemory (0x108).
; With the semantics 0x208 (CrossWorkgroupMemory) or 0x100 (neither acquire nor release) the reads would race.
;
; ALL: Alignments: 1 (complete)   Outcomes: 1
; ONE: Thread 0 returned 20
; ONE: Thread 1 returned 30
; ONE: Thread 2 returned 10
; ONE-NOT: race
;
; CONVCHECK: --threads 3 --arg %me=0,1,2 --arg %next=1,2,0

@tile = internal addrspace(3) global [3 x i32] undef, align 4

define spir_func i32 @rotate(i32 %me, i32 %next) convergent {
entry:
  %number = add i32 %me, 1
  %value = mul i32 %number, 10
  %own = getelementptr inbounds [3 x i32], ptr addrspace(3) @tile, i32 0, i32 %me
  store i32 %value, ptr addrspace(3) %own, align 4
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 264)
  %there = getelementptr inbounds [3 x i32], ptr addrspace(3) @tile, i32 0, i32 %next
  %seen = load i32, ptr addrspace(3) %there, align 4
  ret i32 %seen
}

declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32) convergent
