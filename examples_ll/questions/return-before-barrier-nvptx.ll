; Threads without work return before the barrier: PTX's wants those that have not ended.
;
; CONVCHECK: --threads 4 --arg %idle=0,0,0,1
;
; RUN: convcheck run %s | FileCheck %s
; CHECK: Thread 3: entry
define void @main(i1 %idle) convergent {
entry:
  br i1 %idle, label %out, label %work
work:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %out
out:
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
