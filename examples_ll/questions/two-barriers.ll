; One thread meets a barrier in a branch, all meet one behind it: PTX's barrier that is not aligned.
;
; CONVCHECK: --threads 2 --subgroup-size 1 --arg %extra=1,0
;
; RUN: convcheck run %s | FileCheck %s
; CHECK: Threads 0, 1 returned
define void @main(i1 %extra) convergent {
entry:
  br i1 %extra, label %more, label %meet
more:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %meet
meet:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
