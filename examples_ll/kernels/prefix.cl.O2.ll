; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O2 prefix.cl -o prefix.cl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer %in=i32[16]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22
; CONVCHECK: --buffer %inclusive=i32[16]
; CONVCHECK: --buffer %exclusive=i32[16]
; CONVCHECK: --buffer %total=i32[16]
; CONVCHECK: --show %inclusive
; CONVCHECK: --show %exclusive
; CONVCHECK: --show %total
; CHECK: %inclusive = i32[16]: 35, 48, 49, 25, 5, -41, -84, -133, -33, -2, 12, 53, 53, 63, 110, 132
; CHECK: %exclusive = i32[16]: -2147483648, 35, 35, 35, 35, 35, 35, 35, -2147483648, -33, 31, 31, 41, 41, 41, 47
; CHECK: %total = i32[16]: -133, -133, -133, -133, -133, -133, -133, -133, 132, 132, 132, 132, 132, 132, 132, 132

source_filename = "prefix.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent norecurse nounwind
define spir_kernel void @prefix(ptr addrspace(1) noundef readonly align 4 captures(none) %in, ptr addrspace(1) noundef writeonly align 4 captures(none) %inclusive, ptr addrspace(1) noundef writeonly align 4 captures(none) %exclusive, ptr addrspace(1) noundef writeonly align 4 captures(none) %total) local_unnamed_addr #0 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %idxprom.i = and i64 %call.i, 4294967295
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %idxprom.i
  %0 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  %call1.i = tail call spir_func i32 @_Z28sub_group_scan_inclusive_addi(i32 noundef %0) #5
  %arrayidx3.i = getelementptr inbounds nuw i32, ptr addrspace(1) %inclusive, i64 %idxprom.i
  store i32 %call1.i, ptr addrspace(1) %arrayidx3.i, align 4, !tbaa !4
  %1 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  %call6.i = tail call spir_func i32 @_Z28sub_group_scan_exclusive_maxi(i32 noundef %1) #5
  %arrayidx8.i = getelementptr inbounds nuw i32, ptr addrspace(1) %exclusive, i64 %idxprom.i
  store i32 %call6.i, ptr addrspace(1) %arrayidx8.i, align 4, !tbaa !4
  %2 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  %call11.i = tail call spir_func i32 @_Z20sub_group_reduce_addi(i32 noundef %2) #5
  %arrayidx13.i = getelementptr inbounds nuw i32, ptr addrspace(1) %total, i64 %idxprom.i
  store i32 %call11.i, ptr addrspace(1) %arrayidx13.i, align 4, !tbaa !4
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define spir_func void @__clang_ocl_kern_imp_prefix(ptr addrspace(1) noundef readonly align 4 captures(none) %in, ptr addrspace(1) noundef writeonly align 4 captures(none) %inclusive, ptr addrspace(1) noundef writeonly align 4 captures(none) %exclusive, ptr addrspace(1) noundef writeonly align 4 captures(none) %total) local_unnamed_addr #1 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %idxprom = and i64 %call, 4294967295
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %idxprom
  %0 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %call1 = tail call spir_func i32 @_Z28sub_group_scan_inclusive_addi(i32 noundef %0) #5
  %arrayidx3 = getelementptr inbounds nuw i32, ptr addrspace(1) %inclusive, i64 %idxprom
  store i32 %call1, ptr addrspace(1) %arrayidx3, align 4, !tbaa !4
  %1 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %call6 = tail call spir_func i32 @_Z28sub_group_scan_exclusive_maxi(i32 noundef %1) #5
  %arrayidx8 = getelementptr inbounds nuw i32, ptr addrspace(1) %exclusive, i64 %idxprom
  store i32 %call6, ptr addrspace(1) %arrayidx8, align 4, !tbaa !4
  %2 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %call11 = tail call spir_func i32 @_Z20sub_group_reduce_addi(i32 noundef %2) #5
  %arrayidx13 = getelementptr inbounds nuw i32, ptr addrspace(1) %total, i64 %idxprom
  store i32 %call11, ptr addrspace(1) %arrayidx13, align 4, !tbaa !4
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z28sub_group_scan_inclusive_addi(i32 noundef) local_unnamed_addr #3

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z28sub_group_scan_exclusive_maxi(i32 noundef) local_unnamed_addr #3

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z20sub_group_reduce_addi(i32 noundef) local_unnamed_addr #3

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
!8 = !{i32 1, i32 1, i32 1, i32 1}
!9 = !{!"none", !"none", !"none", !"none"}
!10 = !{!"int*", !"int*", !"int*", !"int*"}
!11 = !{!"const", !"", !"", !""}
