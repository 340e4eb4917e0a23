; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O2 matmul.cl -o matmul.cl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2,2 --workgroup 2,2 --arg %n=4
; CONVCHECK: --buffer %a=f32[16]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25
; CONVCHECK: --buffer %b=f32[16]:4.0,1.25,1.75,13.75,-7.25,10.0,5.25,-16.0,-3.5,11.25,1.5,-15.0,8.25,7.25,11.0,-10.5
; CONVCHECK: --buffer %c=f32[16]
; CONVCHECK: --show %c
; CHECK: %c = f32[16]: -49.5625, 4.6875, -40.5625, 158.25, 2.1875, -422.375, -279.5, 519.0625, -23.875, 234.5625, 184.25, -512.125, -16.25, 253.8125, 119.3125, -353.125

source_filename = "matmul.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

@matmul.as = internal unnamed_addr addrspace(3) global [2 x [2 x float]] undef, align 4
@matmul.bs = internal unnamed_addr addrspace(3) global [2 x [2 x float]] undef, align 4

; Function Attrs: convergent norecurse nounwind
define spir_kernel void @matmul(ptr addrspace(1) noundef readonly align 4 captures(none) %a, ptr addrspace(1) noundef readonly align 4 captures(none) %b, ptr addrspace(1) noundef writeonly align 4 captures(none) %c, i32 noundef %n) local_unnamed_addr #0 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 !reqd_work_group_size !12 {
entry:
  %call.i = tail call spir_func i64 @_Z12get_local_idj(i32 noundef 0) #5
  %call1.i = tail call spir_func i64 @_Z12get_local_idj(i32 noundef 1) #5
  %call3.i = tail call spir_func i64 @_Z12get_group_idj(i32 noundef 0) #5
  %mul.i = shl i64 %call3.i, 1
  %add.i = add i64 %mul.i, %call.i
  %call6.i = tail call spir_func i64 @_Z12get_group_idj(i32 noundef 1) #5
  %mul7.i = shl i64 %call6.i, 1
  %add9.i = add i64 %mul7.i, %call1.i
  %conv10.i = trunc i64 %add9.i to i32
  %cmp.i3 = icmp sgt i32 %n, 0
  br i1 %cmp.i3, label %for.body.i.lr.ph, label %entry.__clang_ocl_kern_imp_matmul.exit_crit_edge

entry.__clang_ocl_kern_imp_matmul.exit_crit_edge: ; preds = %entry
  %.pre = mul nsw i32 %n, %conv10.i
  br label %__clang_ocl_kern_imp_matmul.exit

for.body.i.lr.ph:                                 ; preds = %entry
  %sext69.i = shl i64 %call1.i, 32
  %conv8.i = ashr exact i64 %sext69.i, 32
  %sext.i = shl i64 %call.i, 32
  %conv4.i = ashr exact i64 %sext.i, 32
  %conv.i = trunc i64 %call.i to i32
  %mul12.i = mul nsw i32 %n, %conv10.i
  %add13.i = add i32 %mul12.i, %conv.i
  %arrayidx16.i = getelementptr inbounds [2 x float], ptr addrspace(3) @matmul.as, i64 %conv8.i
  %arrayidx18.i = getelementptr inbounds float, ptr addrspace(3) %arrayidx16.i, i64 %conv4.i
  %arrayidx25.i = getelementptr inbounds [2 x float], ptr addrspace(3) @matmul.bs, i64 %conv8.i
  %arrayidx27.i = getelementptr inbounds float, ptr addrspace(3) %arrayidx25.i, i64 %conv4.i
  %invariant.gep = getelementptr float, ptr addrspace(3) @matmul.bs, i64 %conv4.i
  %0 = zext nneg i32 %n to i64
  %sext = shl i64 %call1.i, 32
  %1 = ashr exact i64 %sext, 32
  %sext9 = shl i64 %add.i, 32
  %2 = ashr exact i64 %sext9, 30
  %invariant.gep10 = getelementptr i8, ptr addrspace(1) %b, i64 %2
  %arrayidx36.i.1 = getelementptr inbounds nuw i8, ptr addrspace(3) %arrayidx16.i, i64 4
  %gep.1 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 8
  br label %for.body.i

for.body.i:                                       ; preds = %for.body.i.lr.ph, %for.body.i
  %indvars.iv = phi i64 [ 0, %for.body.i.lr.ph ], [ %indvars.iv.next, %for.body.i ]
  %sum.0.i4 = phi float [ 0.000000e+00, %for.body.i.lr.ph ], [ %13, %for.body.i ]
  %3 = trunc nuw nsw i64 %indvars.iv to i32
  %add14.i = add i32 %add13.i, %3
  %idxprom.i = sext i32 %add14.i to i64
  %arrayidx.i = getelementptr inbounds float, ptr addrspace(1) %a, i64 %idxprom.i
  %4 = load float, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !13
  store float %4, ptr addrspace(3) %arrayidx18.i, align 4, !tbaa !13
  %5 = add nsw i64 %indvars.iv, %1
  %6 = mul nsw i64 %5, %0
  %gep = getelementptr float, ptr addrspace(1) %invariant.gep10, i64 %6
  %7 = load float, ptr addrspace(1) %gep, align 4, !tbaa !13
  store float %7, ptr addrspace(3) %arrayidx27.i, align 4, !tbaa !13
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #6
  %8 = load float, ptr addrspace(3) %arrayidx16.i, align 4, !tbaa !13
  %9 = load float, ptr addrspace(3) %invariant.gep, align 4, !tbaa !13
  %10 = tail call float @llvm.fmuladd.f32(float %8, float %9, float %sum.0.i4)
  %11 = load float, ptr addrspace(3) %arrayidx36.i.1, align 4, !tbaa !13
  %12 = load float, ptr addrspace(3) %gep.1, align 4, !tbaa !13
  %13 = tail call float @llvm.fmuladd.f32(float %11, float %12, float %10)
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #6
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 2
  %cmp.i = icmp samesign ult i64 %indvars.iv.next, %0
  br i1 %cmp.i, label %for.body.i, label %__clang_ocl_kern_imp_matmul.exit

__clang_ocl_kern_imp_matmul.exit:                 ; preds = %for.body.i, %entry.__clang_ocl_kern_imp_matmul.exit_crit_edge
  %mul45.i.pre-phi = phi i32 [ %.pre, %entry.__clang_ocl_kern_imp_matmul.exit_crit_edge ], [ %mul12.i, %for.body.i ]
  %sum.0.i.lcssa = phi float [ 0.000000e+00, %entry.__clang_ocl_kern_imp_matmul.exit_crit_edge ], [ %13, %for.body.i ]
  %conv5.i = trunc i64 %add.i to i32
  %add46.i = add nsw i32 %mul45.i.pre-phi, %conv5.i
  %idxprom47.i = sext i32 %add46.i to i64
  %arrayidx48.i = getelementptr inbounds float, ptr addrspace(1) %c, i64 %idxprom47.i
  store float %sum.0.i.lcssa, ptr addrspace(1) %arrayidx48.i, align 4, !tbaa !13
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define spir_func void @__clang_ocl_kern_imp_matmul(ptr addrspace(1) noundef readonly align 4 captures(none) %a, ptr addrspace(1) noundef readonly align 4 captures(none) %b, ptr addrspace(1) noundef writeonly align 4 captures(none) %c, i32 noundef %n) local_unnamed_addr #1 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 !reqd_work_group_size !12 {
entry:
  %call = tail call spir_func i64 @_Z12get_local_idj(i32 noundef 0) #5
  %call1 = tail call spir_func i64 @_Z12get_local_idj(i32 noundef 1) #5
  %call3 = tail call spir_func i64 @_Z12get_group_idj(i32 noundef 0) #5
  %mul = shl i64 %call3, 1
  %add = add i64 %mul, %call
  %call6 = tail call spir_func i64 @_Z12get_group_idj(i32 noundef 1) #5
  %mul7 = shl i64 %call6, 1
  %add9 = add i64 %mul7, %call1
  %conv10 = trunc i64 %add9 to i32
  %cmp72 = icmp sgt i32 %n, 0
  br i1 %cmp72, label %for.body.lr.ph, label %entry.for.cond.cleanup_crit_edge

entry.for.cond.cleanup_crit_edge:                 ; preds = %entry
  %.pre = mul nsw i32 %n, %conv10
  br label %for.cond.cleanup

for.body.lr.ph:                                   ; preds = %entry
  %sext69 = shl i64 %call1, 32
  %conv8 = ashr exact i64 %sext69, 32
  %sext = shl i64 %call, 32
  %conv4 = ashr exact i64 %sext, 32
  %conv = trunc i64 %call to i32
  %mul12 = mul nsw i32 %n, %conv10
  %add13 = add i32 %mul12, %conv
  %arrayidx16 = getelementptr inbounds [2 x float], ptr addrspace(3) @matmul.as, i64 %conv8
  %arrayidx18 = getelementptr inbounds float, ptr addrspace(3) %arrayidx16, i64 %conv4
  %arrayidx25 = getelementptr inbounds [2 x float], ptr addrspace(3) @matmul.bs, i64 %conv8
  %arrayidx27 = getelementptr inbounds float, ptr addrspace(3) %arrayidx25, i64 %conv4
  %invariant.gep = getelementptr float, ptr addrspace(3) @matmul.bs, i64 %conv4
  %sext78 = shl i64 %call1, 32
  %0 = ashr exact i64 %sext78, 32
  %1 = zext nneg i32 %n to i64
  %sext79 = shl i64 %add, 32
  %2 = ashr exact i64 %sext79, 30
  %invariant.gep80 = getelementptr i8, ptr addrspace(1) %b, i64 %2
  %arrayidx36.1 = getelementptr inbounds nuw i8, ptr addrspace(3) %arrayidx16, i64 4
  %gep.1 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 8
  br label %for.body

for.cond.cleanup:                                 ; preds = %for.body, %entry.for.cond.cleanup_crit_edge
  %mul45.pre-phi = phi i32 [ %.pre, %entry.for.cond.cleanup_crit_edge ], [ %mul12, %for.body ]
  %sum.0.lcssa = phi float [ 0.000000e+00, %entry.for.cond.cleanup_crit_edge ], [ %13, %for.body ]
  %conv5 = trunc i64 %add to i32
  %add46 = add nsw i32 %mul45.pre-phi, %conv5
  %idxprom47 = sext i32 %add46 to i64
  %arrayidx48 = getelementptr inbounds float, ptr addrspace(1) %c, i64 %idxprom47
  store float %sum.0.lcssa, ptr addrspace(1) %arrayidx48, align 4, !tbaa !13
  ret void

for.body:                                         ; preds = %for.body.lr.ph, %for.body
  %indvars.iv = phi i64 [ 0, %for.body.lr.ph ], [ %indvars.iv.next, %for.body ]
  %sum.073 = phi float [ 0.000000e+00, %for.body.lr.ph ], [ %13, %for.body ]
  %3 = trunc nuw nsw i64 %indvars.iv to i32
  %add14 = add i32 %add13, %3
  %idxprom = sext i32 %add14 to i64
  %arrayidx = getelementptr inbounds float, ptr addrspace(1) %a, i64 %idxprom
  %4 = load float, ptr addrspace(1) %arrayidx, align 4, !tbaa !13
  store float %4, ptr addrspace(3) %arrayidx18, align 4, !tbaa !13
  %5 = add nsw i64 %indvars.iv, %0
  %6 = mul nsw i64 %5, %1
  %gep = getelementptr float, ptr addrspace(1) %invariant.gep80, i64 %6
  %7 = load float, ptr addrspace(1) %gep, align 4, !tbaa !13
  store float %7, ptr addrspace(3) %arrayidx27, align 4, !tbaa !13
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #6
  %8 = load float, ptr addrspace(3) %arrayidx16, align 4, !tbaa !13
  %9 = load float, ptr addrspace(3) %invariant.gep, align 4, !tbaa !13
  %10 = tail call float @llvm.fmuladd.f32(float %8, float %9, float %sum.073)
  %11 = load float, ptr addrspace(3) %arrayidx36.1, align 4, !tbaa !13
  %12 = load float, ptr addrspace(3) %gep.1, align 4, !tbaa !13
  %13 = tail call float @llvm.fmuladd.f32(float %11, float %12, float %10)
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #6
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 2
  %cmp = icmp samesign ult i64 %indvars.iv.next, %1
  br i1 %cmp, label %for.body, label %for.cond.cleanup
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_local_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_group_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare spir_func void @_Z7barrierj(i32 noundef) local_unnamed_addr #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #4

attributes #0 = { convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #1 = { alwaysinline convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #2 = { convergent mustprogress nofree nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #3 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #4 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { convergent nounwind willreturn memory(none) }
attributes #6 = { convergent nounwind }

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
!8 = !{i32 1, i32 1, i32 1, i32 0}
!9 = !{!"none", !"none", !"none", !"none"}
!10 = !{!"float*", !"float*", !"float*", !"int"}
!11 = !{!"const", !"const", !"", !""}
!12 = !{i32 2, i32 2, i32 1}
!13 = !{!14, !14, i64 0}
!14 = !{!"float", !6, i64 0}
