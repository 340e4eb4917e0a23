; Threads without work return before the barrier: OpenCL's wants all threads of the workgroup.
;
; CONVCHECK: --threads 4 --arg %idle=0,0,0,1
;
; RUN: not convcheck run %s | FileCheck %s
; CHECK: ndefined behaviour
define void @main(i1 %idle) convergent {
entry:
  br i1 %idle, label %out, label %work
work:
  call void @_Z7barrierj(i32 1)
  br label %out
out:
  ret void
}
declare void @_Z7barrierj(i32) convergent
