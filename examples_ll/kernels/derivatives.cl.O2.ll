; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O2 derivatives.cl -o derivatives.cl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer %in=f32[16]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25
; CONVCHECK: --buffer %dx=f32[16]
; CONVCHECK: --buffer %dy=f32[16]
; CONVCHECK: --show %dx
; CONVCHECK: --show %dy
; CHECK: %dx = f32[16]: -6.75, -6.75, -7.75, -7.75, -8.5, -8.5, -1.75, -1.75, 20.5, 20.5, 8.25, 8.25, 3.25, 3.25, -7.75, -7.75
; CHECK: %dy = f32[16]: -10.75, -11.75, -10.75, -11.75, -7.5, -0.75, -7.5, -0.75, 15.25, 3.0, 15.25, 3.0, 15.0, 4.0, 15.0, 4.0

source_filename = "derivatives.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent norecurse nounwind
define spir_kernel void @derivatives(ptr addrspace(1) noundef readonly align 4 captures(none) %in, ptr addrspace(1) noundef writeonly align 4 captures(none) %dx, ptr addrspace(1) noundef writeonly align 4 captures(none) %dy) local_unnamed_addr #0 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %call1.i = tail call spir_func i32 @_Z22get_sub_group_local_idv() #5
  %idxprom.i = and i64 %call.i, 4294967295
  %arrayidx.i = getelementptr inbounds nuw float, ptr addrspace(1) %in, i64 %idxprom.i
  %0 = load float, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !12
  %call2.i = tail call spir_func float @_Z21sub_group_shuffle_xorfj(float noundef %0, i32 noundef 1) #5
  %call3.i = tail call spir_func float @_Z21sub_group_shuffle_xorfj(float noundef %0, i32 noundef 2) #5
  %and.i = and i32 %call1.i, 1
  %tobool.not.i = icmp eq i32 %and.i, 0
  %sub.i = fsub float %0, %call2.i
  %sub4.i = fsub float %call2.i, %0
  %cond.i = select i1 %tobool.not.i, float %sub4.i, float %sub.i
  %arrayidx6.i = getelementptr inbounds nuw float, ptr addrspace(1) %dx, i64 %idxprom.i
  store float %cond.i, ptr addrspace(1) %arrayidx6.i, align 4, !tbaa !12
  %and7.i = and i32 %call1.i, 2
  %tobool8.not.i = icmp eq i32 %and7.i, 0
  %sub10.i = fsub float %0, %call3.i
  %sub12.i = fsub float %call3.i, %0
  %cond14.i = select i1 %tobool8.not.i, float %sub12.i, float %sub10.i
  %arrayidx16.i = getelementptr inbounds nuw float, ptr addrspace(1) %dy, i64 %idxprom.i
  store float %cond14.i, ptr addrspace(1) %arrayidx16.i, align 4, !tbaa !12
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define spir_func void @__clang_ocl_kern_imp_derivatives(ptr addrspace(1) noundef readonly align 4 captures(none) %in, ptr addrspace(1) noundef writeonly align 4 captures(none) %dx, ptr addrspace(1) noundef writeonly align 4 captures(none) %dy) local_unnamed_addr #1 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %call1 = tail call spir_func i32 @_Z22get_sub_group_local_idv() #5
  %idxprom = and i64 %call, 4294967295
  %arrayidx = getelementptr inbounds nuw float, ptr addrspace(1) %in, i64 %idxprom
  %0 = load float, ptr addrspace(1) %arrayidx, align 4, !tbaa !12
  %call2 = tail call spir_func float @_Z21sub_group_shuffle_xorfj(float noundef %0, i32 noundef 1) #5
  %call3 = tail call spir_func float @_Z21sub_group_shuffle_xorfj(float noundef %0, i32 noundef 2) #5
  %and = and i32 %call1, 1
  %tobool.not = icmp eq i32 %and, 0
  %sub = fsub float %0, %call2
  %sub4 = fsub float %call2, %0
  %cond = select i1 %tobool.not, float %sub4, float %sub
  %arrayidx6 = getelementptr inbounds nuw float, ptr addrspace(1) %dx, i64 %idxprom
  store float %cond, ptr addrspace(1) %arrayidx6, align 4, !tbaa !12
  %and7 = and i32 %call1, 2
  %tobool8.not = icmp eq i32 %and7, 0
  %sub10 = fsub float %0, %call3
  %sub12 = fsub float %call3, %0
  %cond14 = select i1 %tobool8.not, float %sub12, float %sub10
  %arrayidx16 = getelementptr inbounds nuw float, ptr addrspace(1) %dy, i64 %idxprom
  store float %cond14, ptr addrspace(1) %arrayidx16, align 4, !tbaa !12
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z22get_sub_group_local_idv() local_unnamed_addr #3

; Function Attrs: convergent nounwind
declare spir_func float @_Z21sub_group_shuffle_xorfj(float noundef, i32 noundef) local_unnamed_addr #3

attributes #0 = { convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #1 = { alwaysinline convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #2 = { convergent mustprogress nofree nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #3 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #4 = { convergent nounwind willreturn memory(none) }
attributes #5 = { convergent nounwind }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 2, i32 0}
!3 = !{!"clang version 22.1.8"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C/C++ TBAA"}
!8 = !{i32 1, i32 1, i32 1}
!9 = !{!"none", !"none", !"none"}
!10 = !{!"float*", !"float*", !"float*"}
!11 = !{!"const", !"", !""}
!12 = !{!13, !13, i64 0}
!13 = !{!"float", !6, i64 0}
