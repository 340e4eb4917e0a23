; A barrier of the workgroup that half of the threads skip: SPIR-V's.
;
; CONVCHECK: --threads 4 --arg %there=1,1,0,0
;
; RUN: not convcheck run %s | FileCheck %s
; CHECK: ndefined behaviour
define void @main(i1 %there) convergent {
entry:
  br i1 %there, label %meet, label %out
meet:
  call void @__spirv_ControlBarrier(i32 2, i32 2, i32 264)
  br label %out
out:
  ret void
}
declare void @__spirv_ControlBarrier(i32, i32, i32) convergent
