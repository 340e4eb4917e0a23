; RUN: convcheck enumerate -q %s | FileCheck %s
; RUN: convcheck simulate -q %s --policy exec-mask | FileCheck %s --check-prefix=MACHINE
; RUN: not convcheck run -q %s --workgroup 3 2>&1 | FileCheck %s --check-prefix=REFUSED

; A barrier waits across the waves of a workgroup: what one wave wrote the other one reads, in one outcome. The kernel
; says how large its workgroups are; what contradicts it is refused.
;
; CHECK: Alignments: 1 (complete)   Outcomes: 1
; MACHINE: exec-mask{{ +[0-9]+ +}}100 %  conforms (natural)
; REFUSED: a workgroup of 3 threads: @rotate has amdgpu-flat-work-group-size 4,4
;
; CONVCHECK: --subgroup-size 2

@tile = internal addrspace(3) global [4 x i32] poison, align 4

define i32 @rotate() convergent "amdgpu-flat-work-group-size"="4,4" {
  %me = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %me
  store i32 %me, ptr addrspace(3) %own, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %next = add i32 %me, 1
  %other = and i32 %next, 3
  %there = getelementptr [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %other
  %seen = load i32, ptr addrspace(3) %there, align 4
  ret i32 %seen
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier() convergent
