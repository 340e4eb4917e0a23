; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O2 nested.cl -o nested.cl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer %outer=i32[16]:3,2,2,1,1,0,0,0,0,3,2,3,2,2,3,2
; CONVCHECK: --buffer %inner=i32[16]:2,2,2,3,1,3,2,0,1,3,2,0,3,2,3,0
; CONVCHECK: --buffer %out=i32[16]
; CONVCHECK: --show %out
; CHECK: %out = i32[16]: 617, 515, 515, 510, 505, 0, 0, 0, 0, 1032, 720, 1000, 726, 720, 1032, 700

source_filename = "nested.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent norecurse nounwind
define spir_kernel void @nested(ptr addrspace(1) noundef readonly align 4 captures(none) %outer, ptr addrspace(1) noundef readonly align 4 captures(none) %inner, ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #0 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %idxprom.i = and i64 %call.i, 4294967295
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %outer, i64 %idxprom.i
  %0 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  %cmp.i4 = icmp sgt i32 %0, 0
  br i1 %cmp.i4, label %for.cond2.i.preheader.lr.ph, label %__clang_ocl_kern_imp_nested.exit

for.cond2.i.preheader.lr.ph:                      ; preds = %entry
  %arrayidx4.i = getelementptr inbounds nuw i32, ptr addrspace(1) %inner, i64 %idxprom.i
  br label %for.cond2.i.preheader

for.cond2.i.preheader:                            ; preds = %for.cond2.i.preheader.lr.ph, %for.cond.cleanup7.i
  %i.0.i6 = phi i32 [ 0, %for.cond2.i.preheader.lr.ph ], [ %inc17.i, %for.cond.cleanup7.i ]
  %votes.0.i5 = phi i32 [ 0, %for.cond2.i.preheader.lr.ph ], [ %add15.i, %for.cond.cleanup7.i ]
  %1 = load i32, ptr addrspace(1) %arrayidx4.i, align 4, !tbaa !4
  %cmp5.i1 = icmp sgt i32 %1, 0
  br i1 %cmp5.i1, label %for.body8.i, label %for.cond.cleanup7.i

for.cond.cleanup7.i:                              ; preds = %for.body8.i, %for.cond2.i.preheader
  %votes.1.i.lcssa = phi i32 [ %votes.0.i5, %for.cond2.i.preheader ], [ %add.i, %for.body8.i ]
  %rem.i = and i32 %i.0.i6, 1
  %conv12.i = xor i32 %rem.i, 1
  %call13.i = tail call spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef %conv12.i) #5
  %call14.i = tail call spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef %call13.i) #4
  %mul.i = mul i32 %call14.i, 100
  %add15.i = add i32 %mul.i, %votes.1.i.lcssa
  %inc17.i = add nuw nsw i32 %i.0.i6, 1
  %2 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  %cmp.i = icmp slt i32 %inc17.i, %2
  br i1 %cmp.i, label %for.cond2.i.preheader, label %__clang_ocl_kern_imp_nested.exit

for.body8.i:                                      ; preds = %for.cond2.i.preheader, %for.body8.i
  %j.0.i3 = phi i32 [ %inc.i, %for.body8.i ], [ 0, %for.cond2.i.preheader ]
  %votes.1.i2 = phi i32 [ %add.i, %for.body8.i ], [ %votes.0.i5, %for.cond2.i.preheader ]
  %call9.i = tail call spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef 1) #5
  %call10.i = tail call spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef %call9.i) #4
  %add.i = add i32 %call10.i, %votes.1.i2
  %inc.i = add nuw nsw i32 %j.0.i3, 1
  %3 = load i32, ptr addrspace(1) %arrayidx4.i, align 4, !tbaa !4
  %cmp5.i = icmp slt i32 %inc.i, %3
  br i1 %cmp5.i, label %for.body8.i, label %for.cond.cleanup7.i

__clang_ocl_kern_imp_nested.exit:                 ; preds = %for.cond.cleanup7.i, %entry
  %votes.0.i.lcssa = phi i32 [ 0, %entry ], [ %add15.i, %for.cond.cleanup7.i ]
  %arrayidx20.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom.i
  store i32 %votes.0.i.lcssa, ptr addrspace(1) %arrayidx20.i, align 4, !tbaa !4
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define spir_func void @__clang_ocl_kern_imp_nested(ptr addrspace(1) noundef readonly align 4 captures(none) %outer, ptr addrspace(1) noundef readonly align 4 captures(none) %inner, ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #1 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %idxprom = and i64 %call, 4294967295
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %outer, i64 %idxprom
  %0 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %cmp31 = icmp sgt i32 %0, 0
  br i1 %cmp31, label %for.cond2.preheader.lr.ph, label %for.cond.cleanup

for.cond2.preheader.lr.ph:                        ; preds = %entry
  %arrayidx4 = getelementptr inbounds nuw i32, ptr addrspace(1) %inner, i64 %idxprom
  br label %for.cond2.preheader

for.cond2.preheader:                              ; preds = %for.cond2.preheader.lr.ph, %for.cond.cleanup7
  %i.033 = phi i32 [ 0, %for.cond2.preheader.lr.ph ], [ %inc17, %for.cond.cleanup7 ]
  %votes.032 = phi i32 [ 0, %for.cond2.preheader.lr.ph ], [ %add15, %for.cond.cleanup7 ]
  %1 = load i32, ptr addrspace(1) %arrayidx4, align 4, !tbaa !4
  %cmp528 = icmp sgt i32 %1, 0
  br i1 %cmp528, label %for.body8, label %for.cond.cleanup7

for.cond.cleanup:                                 ; preds = %for.cond.cleanup7, %entry
  %votes.0.lcssa = phi i32 [ 0, %entry ], [ %add15, %for.cond.cleanup7 ]
  %arrayidx20 = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom
  store i32 %votes.0.lcssa, ptr addrspace(1) %arrayidx20, align 4, !tbaa !4
  ret void

for.cond.cleanup7:                                ; preds = %for.body8, %for.cond2.preheader
  %votes.1.lcssa = phi i32 [ %votes.032, %for.cond2.preheader ], [ %add, %for.body8 ]
  %rem = and i32 %i.033, 1
  %conv12 = xor i32 %rem, 1
  %call13 = tail call spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef %conv12) #5
  %call14 = tail call spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef %call13) #4
  %mul = mul i32 %call14, 100
  %add15 = add i32 %mul, %votes.1.lcssa
  %inc17 = add nuw nsw i32 %i.033, 1
  %2 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %cmp = icmp slt i32 %inc17, %2
  br i1 %cmp, label %for.cond2.preheader, label %for.cond.cleanup

for.body8:                                        ; preds = %for.cond2.preheader, %for.body8
  %j.030 = phi i32 [ %inc, %for.body8 ], [ 0, %for.cond2.preheader ]
  %votes.129 = phi i32 [ %add, %for.body8 ], [ %votes.032, %for.cond2.preheader ]
  %call9 = tail call spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef 1) #5
  %call10 = tail call spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef %call9) #4
  %add = add i32 %call10, %votes.129
  %inc = add nuw nsw i32 %j.030, 1
  %3 = load i32, ptr addrspace(1) %arrayidx4, align 4, !tbaa !4
  %cmp5 = icmp slt i32 %inc, %3
  br i1 %cmp5, label %for.body8, label %for.cond.cleanup7
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
!10 = !{!"int*", !"int*", !"int*"}
!11 = !{!"const", !"const", !""}
