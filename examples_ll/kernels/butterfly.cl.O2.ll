; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O2 butterfly.cl -o butterfly.cl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer %in=i32[16]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22
; CONVCHECK: --buffer %out=i32[16]
; CONVCHECK: --show %out
; CHECK: %out = i32[16]: -133, -133, -133, -133, -133, -133, -133, -133, 132, 132, 132, 132, 132, 132, 132, 132

source_filename = "butterfly.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent norecurse nounwind
define spir_kernel void @butterfly(ptr addrspace(1) noundef readonly align 4 captures(none) %in, ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #0 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %call.i
  %0 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.body.i, %entry
  %sum.0.i = phi i32 [ %0, %entry ], [ %add.i, %for.body.i ]
  %bit.0.i = phi i32 [ 1, %entry ], [ %shl.i, %for.body.i ]
  %call1.i = tail call spir_func i32 @_Z18get_sub_group_sizev() #5
  %cmp.i = icmp ult i32 %bit.0.i, %call1.i
  br i1 %cmp.i, label %for.body.i, label %__clang_ocl_kern_imp_butterfly.exit

for.body.i:                                       ; preds = %for.cond.i
  %call2.i = tail call spir_func i32 @_Z21sub_group_shuffle_xorij(i32 noundef %sum.0.i, i32 noundef %bit.0.i) #5
  %add.i = add nsw i32 %call2.i, %sum.0.i
  %shl.i = shl i32 %bit.0.i, 1
  br label %for.cond.i

__clang_ocl_kern_imp_butterfly.exit:              ; preds = %for.cond.i
  %call3.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx4.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %call3.i
  store i32 %sum.0.i, ptr addrspace(1) %arrayidx4.i, align 4, !tbaa !4
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define spir_func void @__clang_ocl_kern_imp_butterfly(ptr addrspace(1) noundef readonly align 4 captures(none) %in, ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #1 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %call
  %0 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  br label %for.cond

for.cond:                                         ; preds = %for.body, %entry
  %sum.0 = phi i32 [ %0, %entry ], [ %add, %for.body ]
  %bit.0 = phi i32 [ 1, %entry ], [ %shl, %for.body ]
  %call1 = tail call spir_func i32 @_Z18get_sub_group_sizev() #5
  %cmp = icmp ult i32 %bit.0, %call1
  br i1 %cmp, label %for.body, label %for.cond.cleanup

for.cond.cleanup:                                 ; preds = %for.cond
  %call3 = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx4 = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %call3
  store i32 %sum.0, ptr addrspace(1) %arrayidx4, align 4, !tbaa !4
  ret void

for.body:                                         ; preds = %for.cond
  %call2 = tail call spir_func i32 @_Z21sub_group_shuffle_xorij(i32 noundef %sum.0, i32 noundef %bit.0) #5
  %add = add nsw i32 %call2, %sum.0
  %shl = shl i32 %bit.0, 1
  br label %for.cond
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z18get_sub_group_sizev() local_unnamed_addr #3

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z21sub_group_shuffle_xorij(i32 noundef, i32 noundef) local_unnamed_addr #3

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
!8 = !{i32 1, i32 1}
!9 = !{!"none", !"none"}
!10 = !{!"int*", !"int*"}
!11 = !{!"const", !""}
