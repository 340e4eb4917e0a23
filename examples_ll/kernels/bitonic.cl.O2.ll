; clang-22 -x cl -cl-std=CL2.0 -target nvptx64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O2 bitonic.cl -o bitonic.cl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8
; CONVCHECK: --buffer %data=i32[16]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22
; CONVCHECK: --buffer %tile=i32[8]
; CONVCHECK: --show %data
; CHECK: %data = i32[16]: -49, -46, -43, -24, -20, 1, 13, 35, -33, 0, 10, 14, 22, 31, 41, 47

source_filename = "bitonic.cl"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64"

; Function Attrs: convergent noinline norecurse nounwind
define dso_local ptx_kernel void @bitonic(ptr addrspace(1) noundef align 4 captures(none) %data, ptr addrspace(3) noundef align 4 captures(none) %tile) local_unnamed_addr #0 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  tail call void @__clang_ocl_kern_imp_bitonic(ptr addrspace(1) noundef align 4 %data, ptr addrspace(3) noundef align 4 %tile) #4
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind
define dso_local void @__clang_ocl_kern_imp_bitonic(ptr addrspace(1) noundef align 4 captures(none) %data, ptr addrspace(3) noundef align 4 captures(none) %tile) local_unnamed_addr #1 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 {
entry:
  %call = tail call i64 @_Z12get_local_idj(i32 noundef 0) #5
  %conv = trunc i64 %call to i32
  %call1 = tail call i64 @_Z13get_global_idj(i32 noundef 0) #5
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %data, i64 %call1
  %0 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %idxprom = and i64 %call, 4294967295
  %arrayidx2 = getelementptr inbounds nuw i32, ptr addrspace(3) %tile, i64 %idxprom
  store i32 %0, ptr addrspace(3) %arrayidx2, align 4, !tbaa !4
  tail call void @_Z7barrierj(i32 noundef 1) #4
  br label %for.cond

for.cond:                                         ; preds = %for.cond.cleanup9, %entry
  %size.0 = phi i32 [ 2, %entry ], [ %shl, %for.cond.cleanup9 ]
  %conv3 = zext i32 %size.0 to i64
  %call4 = tail call i64 @_Z14get_local_sizej(i32 noundef 0) #5
  %cmp.not = icmp ult i64 %call4, %conv3
  br i1 %cmp.not, label %for.cond.cleanup, label %for.cond6.preheader

for.cond6.preheader:                              ; preds = %for.cond
  %cmp7.not59 = icmp eq i32 %size.0, 0
  br i1 %cmp7.not59, label %for.cond.cleanup9, label %for.body10.lr.ph

for.body10.lr.ph:                                 ; preds = %for.cond6.preheader
  %stride.058 = lshr exact i32 %size.0, 1
  %and = and i32 %size.0, %conv
  %1 = icmp ne i32 %and, 0
  br label %for.body10

for.cond.cleanup:                                 ; preds = %for.cond
  %2 = load i32, ptr addrspace(3) %arrayidx2, align 4, !tbaa !4
  %call35 = tail call i64 @_Z13get_global_idj(i32 noundef 0) #5
  %arrayidx36 = getelementptr inbounds nuw i32, ptr addrspace(1) %data, i64 %call35
  store i32 %2, ptr addrspace(1) %arrayidx36, align 4, !tbaa !4
  ret void

for.cond.cleanup9:                                ; preds = %if.end29, %for.cond6.preheader
  %shl = shl i32 %size.0, 1
  br label %for.cond

for.body10:                                       ; preds = %for.body10.lr.ph, %if.end29
  %stride.060 = phi i32 [ %stride.058, %for.body10.lr.ph ], [ %stride.0, %if.end29 ]
  %xor = xor i32 %stride.060, %conv
  %cmp11 = icmp ugt i32 %xor, %conv
  br i1 %cmp11, label %if.then, label %if.end29

if.then:                                          ; preds = %for.body10
  %3 = load i32, ptr addrspace(3) %arrayidx2, align 4, !tbaa !4
  %idxprom17 = zext i32 %xor to i64
  %arrayidx18 = getelementptr inbounds nuw i32, ptr addrspace(3) %tile, i64 %idxprom17
  %4 = load i32, ptr addrspace(3) %arrayidx18, align 4, !tbaa !4
  %cmp19 = icmp sgt i32 %3, %4
  %cmp22 = xor i1 %1, %cmp19
  br i1 %cmp22, label %if.then24, label %if.end29

if.then24:                                        ; preds = %if.then
  store i32 %4, ptr addrspace(3) %arrayidx2, align 4, !tbaa !4
  store i32 %3, ptr addrspace(3) %arrayidx18, align 4, !tbaa !4
  br label %if.end29

if.end29:                                         ; preds = %if.then, %if.then24, %for.body10
  tail call void @_Z7barrierj(i32 noundef 1) #4
  %stride.0 = lshr i32 %stride.060, 1
  %cmp7.not = icmp eq i32 %stride.0, 0
  br i1 %cmp7.not, label %for.cond.cleanup9, label %for.body10
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local i64 @_Z12get_local_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare dso_local void @_Z7barrierj(i32 noundef) local_unnamed_addr #3

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local i64 @_Z14get_local_sizej(i32 noundef) local_unnamed_addr #2

attributes #0 = { convergent noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx88" "uniform-work-group-size"="false" }
attributes #1 = { convergent noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx88" }
attributes #2 = { convergent mustprogress nofree nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx88" }
attributes #3 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx88" }
attributes #4 = { convergent nounwind }
attributes #5 = { convergent nounwind willreturn memory(none) }

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
!8 = !{i32 1, i32 3}
!9 = !{!"none", !"none"}
!10 = !{!"int*", !"int*"}
!11 = !{!"", !""}
