; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O2 compaction.cl -o compaction.cl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer %in=i32[16]:35,13,1,-24,0,-46,-43,0,0,31,14,0,0,10,47,0
; CONVCHECK: --buffer %out=i32[16]
; CONVCHECK: --buffer %size=i32[1]
; CONVCHECK: --show %out
; CONVCHECK: --show %size
; CHECK: %size = i32[1]: 10

source_filename = "compaction.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent norecurse nounwind
define spir_kernel void @compaction(ptr addrspace(1) noundef readonly align 4 captures(none) %in, ptr addrspace(1) noundef writeonly align 4 captures(none) %out, ptr addrspace(1) noundef align 4 %size) local_unnamed_addr #0 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %call.i
  %0 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  %cmp.i = icmp ne i32 %0, 0
  %conv.i = zext i1 %cmp.i to i32
  %call1.i = tail call spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef %conv.i) #5
  %call2.i = tail call spir_func i32 @_Z31sub_group_ballot_exclusive_scanDv4_j(<4 x i32> noundef %call1.i) #5
  %call3.i = tail call spir_func i32 @_Z22get_sub_group_local_idv() #5
  %cmp4.i = icmp eq i32 %call3.i, 0
  br i1 %cmp4.i, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %entry
  %call6.i = tail call spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef %call1.i) #4
  %call7.i = tail call spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef align 4 %size, i32 noundef %call6.i) #5
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %entry
  %first.0.i = phi i32 [ %call7.i, %if.then.i ], [ 0, %entry ]
  %call8.i = tail call spir_func i32 @_Z19sub_group_broadcastij(i32 noundef %first.0.i, i32 noundef 0) #5
  br i1 %cmp.i, label %if.then11.i, label %__clang_ocl_kern_imp_compaction.exit

if.then11.i:                                      ; preds = %if.end.i
  %add.i = add i32 %call8.i, %call2.i
  %idxprom.i = zext i32 %add.i to i64
  %arrayidx12.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom.i
  store i32 %0, ptr addrspace(1) %arrayidx12.i, align 4, !tbaa !4
  br label %__clang_ocl_kern_imp_compaction.exit

__clang_ocl_kern_imp_compaction.exit:             ; preds = %if.end.i, %if.then11.i
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define spir_func void @__clang_ocl_kern_imp_compaction(ptr addrspace(1) noundef readonly align 4 captures(none) %in, ptr addrspace(1) noundef writeonly align 4 captures(none) %out, ptr addrspace(1) noundef align 4 %size) local_unnamed_addr #1 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %call
  %0 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %cmp = icmp ne i32 %0, 0
  %conv = zext i1 %cmp to i32
  %call1 = tail call spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef %conv) #5
  %call2 = tail call spir_func i32 @_Z31sub_group_ballot_exclusive_scanDv4_j(<4 x i32> noundef %call1) #5
  %call3 = tail call spir_func i32 @_Z22get_sub_group_local_idv() #5
  %cmp4 = icmp eq i32 %call3, 0
  br i1 %cmp4, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %call6 = tail call spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef %call1) #4
  %call7 = tail call spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef %size, i32 noundef %call6) #5
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %first.0 = phi i32 [ %call7, %if.then ], [ 0, %entry ]
  %call8 = tail call spir_func i32 @_Z19sub_group_broadcastij(i32 noundef %first.0, i32 noundef 0) #5
  br i1 %cmp, label %if.then11, label %if.end13

if.then11:                                        ; preds = %if.end
  %add = add i32 %call8, %call2
  %idxprom = zext i32 %add to i64
  %arrayidx12 = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom
  store i32 %0, ptr addrspace(1) %arrayidx12, align 4, !tbaa !4
  br label %if.end13

if.end13:                                         ; preds = %if.then11, %if.end
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef) local_unnamed_addr #3

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z31sub_group_ballot_exclusive_scanDv4_j(<4 x i32> noundef) local_unnamed_addr #3

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z22get_sub_group_local_idv() local_unnamed_addr #3

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef, i32 noundef) local_unnamed_addr #3

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z19sub_group_broadcastij(i32 noundef, i32 noundef) local_unnamed_addr #3

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
!11 = !{!"const", !"", !""}
