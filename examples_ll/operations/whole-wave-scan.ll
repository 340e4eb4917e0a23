; A sum over the lanes below, among those lanes of a wave that took a branch. A DPP row shift knows nothing of who is
; there: it reads the neighbour's register. So the lanes that take no part are given zero, and the shifts are done in
; whole wave mode, by all lanes. Without it (%d1 alone) a lane behind an absent one gets its old value, 0.
;
; RUN: convcheck run %s | FileCheck %s
; CONVCHECK: --threads 6 --arg %x=1,2,3,4,5,6 --arg %p=1,0,1,1,0,1
; CHECK-DAG: threads 0, 2, 3, 5 #1: 0: 0, 2: 0, 3: 3, 5: 0
; CHECK-DAG: threads 0, 2, 3, 5 #1: 0: 1, 2: 4, 3: 8, 5: 14

target triple = "amdgcn-amd-amdpal"

declare i32 @llvm.amdgcn.set.inactive.i32(i32, i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg)
declare i32 @llvm.amdgcn.strict.wwm.i32(i32)

define amdgpu_cs i32 @f(i32 %x, i1 %p) convergent "target-cpu"="gfx1030" {
entry:
  br i1 %p, label %there, label %away

there:
  %s0 = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 0)
  %d1 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s0, i32 273, i32 15, i32 15, i1 false)
  %s1 = add i32 %s0, %d1
  %d2 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s1, i32 274, i32 15, i32 15, i1 false)
  %s2 = add i32 %s1, %d2
  %d4 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s2, i32 276, i32 15, i32 15, i1 false)
  %s4 = add i32 %s2, %d4
  %sum = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %s4)
  ret i32 %sum

away:
  ret i32 -1
}
