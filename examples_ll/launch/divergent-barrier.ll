; RUN: not convcheck run %s | FileCheck %s
; RUN: not convcheck enumerate %s | FileCheck %s
; RUN: convcheck run -q %s --arg %n=4

; OpenCL C wants every work-item of a work-group to come to a barrier: those that have left before make it undefined.
; AMDGPU's own barrier waits only for waves that have not ended.
;
; CHECK: ndefined behaviour in thread 0: barrier 1 of the workgroup is in divergent control flow: threads 0-2 came to @_Z7barrierj#1, thread 3 ended without another (OpenCL C, Synchronization Functions)
;
; CONVCHECK: --threads 4 --subgroup-size 2 --arg %n=3

define spir_kernel void @early_return(i64 %n) convergent {
  %here = call i64 @_Z13get_global_idj(i32 0)
  %inside = icmp ult i64 %here, %n
  br i1 %inside, label %work, label %out

work:
  call void @_Z7barrierj(i32 1)
  br label %out

out:
  ret void
}

declare i64 @_Z13get_global_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent
