; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O2 raymarch.cl -o raymarch.cl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer %distances=f32[256]:3.75,3.0,2.0,1.0,1.0,0.0,0.25,0.0,0.5,3.25,2.5,3.5,2.0,2.25,3.75,2.75,3.0,2.5,2.0,3.5,1.0,3.25,2.5,0.0,1.5,3.25,2.0,0.0,3.0,2.75,3.25,0.5,0.75,3.75,0.0,2.0,0.25,1.0,1.75,1.5,1.5,0.0,0.0,0.25,0.0,2.5,2.0,2.5,1.5,2.75,3.0,1.5,1.75,3.75,3.0,3.75,1.5,2.5,3.75,2.5,3.25,2.75,2.75,1.5,4.0,1.0,2.25,2.75,3.25,2.0,1.5,1.0,1.5,1.75,2.75,3.5,0.25,3.5,2.0,1.25,3.0,2.75,1.0,1.25,2.75,2.25,2.0,1.25,3.0,1.5,1.25,3.5,1.0,0.75,2.75,2.25,0.5,0.75,1.5,3.25,1.5,3.0,1.25,0.75,3.0,3.5,0.25,0.0,2.5,1.25,2.25,0.5,3.75,2.25,3.5,3.0,2.75,0.75,3.0,0.0,2.25,1.5,3.75,0.75,3.75,0.25,2.25,2.25,4.0,1.5,3.5,2.5,3.5,0.75,3.0,3.75,0.0,1.25,2.5,0.25,2.0,2.5,3.0,3.5,2.0,2.25,1.75,3.75,0.75,1.75,0.0,1.5,3.75,2.25,1.25,3.75,2.25,3.75,0.0,1.75,3.75,3.5,1.5,1.75,1.5,2.0,0.75,3.0,0.25,1.5,1.0,2.75,2.75,2.75,3.5,3.5,1.0,0.75,0.5,2.75,3.75,3.5,2.5,3.75,3.25,0.0,0.25,3.25,0.25,3.75,3.25,3.75,1.75,1.0,2.0,3.75,1.25,3.5,1.5,3.25,0.75,1.75,1.25,0.75,3.5,3.0,0.5,3.5,4.25,1.5,1.5,2.0,2.5,1.75,0.5,3.5,2.75,0.0,3.25,2.75,0.5,2.25,2.0,0.0,4.0,3.25,1.0,0.0,0.25,3.0,0.5,2.0,3.5,3.5,1.0,0.25,1.75,3.25,2.25,0.25,3.0,1.75,0.75,1.5,3.25,3.75,0.5,2.0,3.0,1.0,1.0,0.75,0.75,3.5,0.75,0.75
; CONVCHECK: --buffer %depth=f32[16]
; CONVCHECK: --buffer %together=i32[16]
; CONVCHECK: --show %depth
; CONVCHECK: --show %together
; CHECK: %depth = f32[16]: 5.75, 16.25, 9.5, 16.75, 16.25, 17.5, 11.5, 18.0, 17.0, 16.75, 17.75, 9.25, 19.0, 16.0, 17.0, 16.75
; CHECK: %together = i32[16]: 8, 6, 7, 6, 6, 6, 1, 6, 4, 6, 6, 8, 3, 8, 1, 3

source_filename = "raymarch.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent norecurse nounwind
define spir_kernel void @raymarch(ptr addrspace(1) noundef readonly align 4 captures(none) %distances, ptr addrspace(1) noundef writeonly align 4 captures(none) %depth, ptr addrspace(1) noundef writeonly align 4 captures(none) %together) local_unnamed_addr #0 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %conv.i = trunc i64 %call.i to i32
  %mul.i = shl i32 %conv.i, 4
  %idxprom.i6 = zext i32 %mul.i to i64
  %arrayidx.i7 = getelementptr inbounds nuw float, ptr addrspace(1) %distances, i64 %idxprom.i6
  %0 = load float, ptr addrspace(1) %arrayidx.i7, align 4, !tbaa !12
  %cmp3.i8 = fcmp olt float %0, 2.500000e-01
  br i1 %cmp3.i8, label %__clang_ocl_kern_imp_raymarch.exit, label %cleanup.i

while.body.i:                                     ; preds = %cleanup.i
  %conv2.i = fptosi float %add5.i to i32
  %add.i = add i32 %mul.i, %conv2.i
  %idxprom.i = zext i32 %add.i to i64
  %arrayidx.i = getelementptr inbounds nuw float, ptr addrspace(1) %distances, i64 %idxprom.i
  %1 = load float, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !12
  %cmp3.i = fcmp olt float %1, 2.500000e-01
  br i1 %cmp3.i, label %__clang_ocl_kern_imp_raymarch.exit, label %cleanup.i

cleanup.i:                                        ; preds = %entry, %while.body.i
  %2 = phi float [ %1, %while.body.i ], [ %0, %entry ]
  %t.0.i59 = phi float [ %add5.i, %while.body.i ], [ 0.000000e+00, %entry ]
  %add5.i = fadd float %t.0.i59, %2
  %call6.i = tail call spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef 1) #5
  %call7.i = tail call spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef %call6.i) #4
  %cmp.i = fcmp olt float %add5.i, 1.600000e+01
  br i1 %cmp.i, label %while.body.i, label %__clang_ocl_kern_imp_raymarch.exit

__clang_ocl_kern_imp_raymarch.exit:               ; preds = %cleanup.i, %while.body.i, %entry
  %last.0.i.lcssa = phi i32 [ 0, %entry ], [ %call7.i, %while.body.i ], [ %call7.i, %cleanup.i ]
  %t.0.i.lcssa = phi float [ 0.000000e+00, %entry ], [ %add5.i, %while.body.i ], [ %add5.i, %cleanup.i ]
  %idxprom8.i = and i64 %call.i, 4294967295
  %arrayidx9.i = getelementptr inbounds nuw float, ptr addrspace(1) %depth, i64 %idxprom8.i
  store float %t.0.i.lcssa, ptr addrspace(1) %arrayidx9.i, align 4, !tbaa !12
  %arrayidx11.i = getelementptr inbounds nuw i32, ptr addrspace(1) %together, i64 %idxprom8.i
  store i32 %last.0.i.lcssa, ptr addrspace(1) %arrayidx11.i, align 4, !tbaa !4
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define spir_func void @__clang_ocl_kern_imp_raymarch(ptr addrspace(1) noundef readonly align 4 captures(none) %distances, ptr addrspace(1) noundef writeonly align 4 captures(none) %depth, ptr addrspace(1) noundef writeonly align 4 captures(none) %together) local_unnamed_addr #1 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %conv = trunc i64 %call to i32
  %mul = shl i32 %conv, 4
  %idxprom23 = zext i32 %mul to i64
  %arrayidx24 = getelementptr inbounds nuw float, ptr addrspace(1) %distances, i64 %idxprom23
  %0 = load float, ptr addrspace(1) %arrayidx24, align 4, !tbaa !12
  %cmp325 = fcmp olt float %0, 2.500000e-01
  br i1 %cmp325, label %while.end, label %cleanup

while.body:                                       ; preds = %cleanup
  %conv2 = fptosi float %add5 to i32
  %add = add i32 %mul, %conv2
  %idxprom = zext i32 %add to i64
  %arrayidx = getelementptr inbounds nuw float, ptr addrspace(1) %distances, i64 %idxprom
  %1 = load float, ptr addrspace(1) %arrayidx, align 4, !tbaa !12
  %cmp3 = fcmp olt float %1, 2.500000e-01
  br i1 %cmp3, label %while.end, label %cleanup

cleanup:                                          ; preds = %entry, %while.body
  %2 = phi float [ %1, %while.body ], [ %0, %entry ]
  %t.02226 = phi float [ %add5, %while.body ], [ 0.000000e+00, %entry ]
  %add5 = fadd float %t.02226, %2
  %call6 = tail call spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef 1) #5
  %call7 = tail call spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef %call6) #4
  %cmp = fcmp olt float %add5, 1.600000e+01
  br i1 %cmp, label %while.body, label %while.end

while.end:                                        ; preds = %cleanup, %while.body, %entry
  %last.0.lcssa = phi i32 [ 0, %entry ], [ %call7, %while.body ], [ %call7, %cleanup ]
  %t.0.lcssa = phi float [ 0.000000e+00, %entry ], [ %add5, %while.body ], [ %add5, %cleanup ]
  %idxprom8 = and i64 %call, 4294967295
  %arrayidx9 = getelementptr inbounds nuw float, ptr addrspace(1) %depth, i64 %idxprom8
  store float %t.0.lcssa, ptr addrspace(1) %arrayidx9, align 4, !tbaa !12
  %arrayidx11 = getelementptr inbounds nuw i32, ptr addrspace(1) %together, i64 %idxprom8
  store i32 %last.0.lcssa, ptr addrspace(1) %arrayidx11, align 4, !tbaa !4
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef) local_unnamed_addr #3

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
!10 = !{!"float*", !"float*", !"int*"}
!11 = !{!"const", !"", !""}
!12 = !{!13, !13, i64 0}
!13 = !{!"float", !6, i64 0}
