; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O2 reduction.cl -o reduction.cl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8
; CONVCHECK: --buffer %in=i32[16]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22
; CONVCHECK: --buffer %out=i32[2]
; CONVCHECK: --buffer %tile=i32[8]
; CONVCHECK: --show %out
; CHECK: %out = i32[2]: -133, 132

source_filename = "reduction.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent norecurse nounwind
define spir_kernel void @reduction(ptr addrspace(1) noundef readonly align 4 captures(none) %in, ptr addrspace(1) noundef writeonly align 4 captures(none) %out, ptr addrspace(3) noundef align 4 captures(none) %tile) local_unnamed_addr #0 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call.i = tail call spir_func i64 @_Z12get_local_idj(i32 noundef 0) #4
  %conv.i = trunc i64 %call.i to i32
  %call1.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %call1.i
  %0 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  %idxprom.i = and i64 %call.i, 4294967295
  %arrayidx2.i = getelementptr inbounds nuw i32, ptr addrspace(3) %tile, i64 %idxprom.i
  store i32 %0, ptr addrspace(3) %arrayidx2.i, align 4, !tbaa !4
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #5
  %call3.i = tail call spir_func i64 @_Z14get_local_sizej(i32 noundef 0) #4
  %div30.i = lshr i64 %call3.i, 1
  %conv4.i = trunc i64 %div30.i to i32
  %cmp.not.i1 = icmp eq i32 %conv4.i, 0
  br i1 %cmp.not.i1, label %for.cond.cleanup.i, label %for.body.i

for.cond.cleanup.i:                               ; preds = %if.end.i, %entry
  %cmp13.i = icmp eq i32 %conv.i, 0
  br i1 %cmp13.i, label %if.then15.i, label %__clang_ocl_kern_imp_reduction.exit

for.body.i:                                       ; preds = %entry, %if.end.i
  %stride.0.i2 = phi i32 [ %shr.i, %if.end.i ], [ %conv4.i, %entry ]
  %cmp6.i = icmp ugt i32 %stride.0.i2, %conv.i
  br i1 %cmp6.i, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %for.body.i
  %add.i = add i32 %stride.0.i2, %conv.i
  %idxprom8.i = zext i32 %add.i to i64
  %arrayidx9.i = getelementptr inbounds nuw i32, ptr addrspace(3) %tile, i64 %idxprom8.i
  %1 = load i32, ptr addrspace(3) %arrayidx9.i, align 4, !tbaa !4
  %2 = load i32, ptr addrspace(3) %arrayidx2.i, align 4, !tbaa !4
  %add12.i = add nsw i32 %2, %1
  store i32 %add12.i, ptr addrspace(3) %arrayidx2.i, align 4, !tbaa !4
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %for.body.i
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #5
  %shr.i = lshr i32 %stride.0.i2, 1
  %cmp.not.i = icmp eq i32 %shr.i, 0
  br i1 %cmp.not.i, label %for.cond.cleanup.i, label %for.body.i

if.then15.i:                                      ; preds = %for.cond.cleanup.i
  %3 = load i32, ptr addrspace(3) %tile, align 4, !tbaa !4
  %call17.i = tail call spir_func i64 @_Z12get_group_idj(i32 noundef 0) #4
  %arrayidx18.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %call17.i
  store i32 %3, ptr addrspace(1) %arrayidx18.i, align 4, !tbaa !4
  br label %__clang_ocl_kern_imp_reduction.exit

__clang_ocl_kern_imp_reduction.exit:              ; preds = %for.cond.cleanup.i, %if.then15.i
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define spir_func void @__clang_ocl_kern_imp_reduction(ptr addrspace(1) noundef readonly align 4 captures(none) %in, ptr addrspace(1) noundef writeonly align 4 captures(none) %out, ptr addrspace(3) noundef align 4 captures(none) %tile) local_unnamed_addr #1 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call = tail call spir_func i64 @_Z12get_local_idj(i32 noundef 0) #4
  %conv = trunc i64 %call to i32
  %call1 = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %call1
  %0 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %idxprom = and i64 %call, 4294967295
  %arrayidx2 = getelementptr inbounds nuw i32, ptr addrspace(3) %tile, i64 %idxprom
  store i32 %0, ptr addrspace(3) %arrayidx2, align 4, !tbaa !4
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #5
  %call3 = tail call spir_func i64 @_Z14get_local_sizej(i32 noundef 0) #4
  %div30 = lshr i64 %call3, 1
  %conv4 = trunc i64 %div30 to i32
  %cmp.not31 = icmp eq i32 %conv4, 0
  br i1 %cmp.not31, label %for.cond.cleanup, label %for.body

for.cond.cleanup:                                 ; preds = %if.end, %entry
  %cmp13 = icmp eq i32 %conv, 0
  br i1 %cmp13, label %if.then15, label %if.end19

for.body:                                         ; preds = %entry, %if.end
  %stride.032 = phi i32 [ %shr, %if.end ], [ %conv4, %entry ]
  %cmp6 = icmp ugt i32 %stride.032, %conv
  br i1 %cmp6, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %add = add i32 %stride.032, %conv
  %idxprom8 = zext i32 %add to i64
  %arrayidx9 = getelementptr inbounds nuw i32, ptr addrspace(3) %tile, i64 %idxprom8
  %1 = load i32, ptr addrspace(3) %arrayidx9, align 4, !tbaa !4
  %2 = load i32, ptr addrspace(3) %arrayidx2, align 4, !tbaa !4
  %add12 = add nsw i32 %2, %1
  store i32 %add12, ptr addrspace(3) %arrayidx2, align 4, !tbaa !4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #5
  %shr = lshr i32 %stride.032, 1
  %cmp.not = icmp eq i32 %shr, 0
  br i1 %cmp.not, label %for.cond.cleanup, label %for.body

if.then15:                                        ; preds = %for.cond.cleanup
  %3 = load i32, ptr addrspace(3) %tile, align 4, !tbaa !4
  %call17 = tail call spir_func i64 @_Z12get_group_idj(i32 noundef 0) #4
  %arrayidx18 = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %call17
  store i32 %3, ptr addrspace(1) %arrayidx18, align 4, !tbaa !4
  br label %if.end19

if.end19:                                         ; preds = %if.then15, %for.cond.cleanup
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_local_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare spir_func void @_Z7barrierj(i32 noundef) local_unnamed_addr #3

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i64 @_Z14get_local_sizej(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_group_idj(i32 noundef) local_unnamed_addr #2

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
!8 = !{i32 1, i32 1, i32 3}
!9 = !{!"none", !"none", !"none"}
!10 = !{!"int*", !"int*", !"int*"}
!11 = !{!"const", !"", !""}
