; clang-22 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O2 scan.cl -o scan.cl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8
; CONVCHECK: --buffer %in=i32[16]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22
; CONVCHECK: --buffer %out=i32[16]
; CONVCHECK: --buffer %tile=i32[8]
; CONVCHECK: --show %out
; CHECK: %out = i32[16]: 35, 48, 49, 25, 5, -41, -84, -133, -33, -2, 12, 53, 53, 63, 110, 132

source_filename = "scan.cl"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

; Function Attrs: convergent norecurse nounwind
define protected amdgpu_kernel void @scan(ptr addrspace(1) noundef readonly align 4 captures(none) %in, ptr addrspace(1) noundef writeonly align 4 captures(none) %out, ptr addrspace(3) noundef align 4 captures(none) %tile) local_unnamed_addr #0 !kernel_arg_addr_space !9 !kernel_arg_access_qual !10 !kernel_arg_type !11 !kernel_arg_base_type !11 !kernel_arg_type_qual !12 {
entry:
  %call.i = tail call i64 @_Z12get_local_idj(i32 noundef 0) #4
  %conv.i = trunc i64 %call.i to i32
  %call1.i = tail call i64 @_Z14get_local_sizej(i32 noundef 0) #4
  %conv2.i = trunc i64 %call1.i to i32
  %call3.i = tail call i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %call3.i
  %0 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !5, !amdgpu.noclobber !13
  %cmp.i1 = icmp ugt i32 %conv2.i, 1
  br i1 %cmp.i1, label %for.body.i.lr.ph, label %__clang_ocl_kern_imp_scan.exit

for.body.i.lr.ph:                                 ; preds = %entry
  %arrayidx5.i = getelementptr inbounds nuw i32, ptr addrspace(3) %tile, i32 %conv.i
  br label %for.body.i

for.body.i:                                       ; preds = %for.body.i.lr.ph, %if.end.i
  %distance.0.i3 = phi i32 [ 1, %for.body.i.lr.ph ], [ %shl.i, %if.end.i ]
  %sum.0.i2 = phi i32 [ %0, %for.body.i.lr.ph ], [ %sum.1.i, %if.end.i ]
  store i32 %sum.0.i2, ptr addrspace(3) %arrayidx5.i, align 4, !tbaa !5
  tail call void @_Z7barrierj(i32 noundef 1) #5
  %cmp6.not.i = icmp ugt i32 %distance.0.i3, %conv.i
  br i1 %cmp6.not.i, label %if.end.i, label %if.then.i

if.then.i:                                        ; preds = %for.body.i
  %sub.i = sub nuw i32 %conv.i, %distance.0.i3
  %arrayidx9.i = getelementptr inbounds nuw i32, ptr addrspace(3) %tile, i32 %sub.i
  %1 = load i32, ptr addrspace(3) %arrayidx9.i, align 4, !tbaa !5
  %add.i = add nsw i32 %1, %sum.0.i2
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %for.body.i
  %sum.1.i = phi i32 [ %add.i, %if.then.i ], [ %sum.0.i2, %for.body.i ]
  tail call void @_Z7barrierj(i32 noundef 1) #5
  %shl.i = shl i32 %distance.0.i3, 1
  %cmp.i = icmp ult i32 %shl.i, %conv2.i
  br i1 %cmp.i, label %for.body.i, label %__clang_ocl_kern_imp_scan.exit

__clang_ocl_kern_imp_scan.exit:                   ; preds = %if.end.i, %entry
  %sum.0.i.lcssa = phi i32 [ %0, %entry ], [ %sum.1.i, %if.end.i ]
  %call10.i = tail call i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx11.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %call10.i
  store i32 %sum.0.i.lcssa, ptr addrspace(1) %arrayidx11.i, align 4, !tbaa !5
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define protected void @__clang_ocl_kern_imp_scan(ptr addrspace(1) noundef readonly align 4 captures(none) %in, ptr addrspace(1) noundef writeonly align 4 captures(none) %out, ptr addrspace(3) noundef align 4 captures(none) %tile) local_unnamed_addr #1 !kernel_arg_addr_space !9 !kernel_arg_access_qual !10 !kernel_arg_type !11 !kernel_arg_base_type !11 !kernel_arg_type_qual !12 {
entry:
  %call = tail call i64 @_Z12get_local_idj(i32 noundef 0) #4
  %conv = trunc i64 %call to i32
  %call1 = tail call i64 @_Z14get_local_sizej(i32 noundef 0) #4
  %conv2 = trunc i64 %call1 to i32
  %call3 = tail call i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %call3
  %0 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !5
  %cmp20 = icmp ugt i32 %conv2, 1
  br i1 %cmp20, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:                                   ; preds = %entry
  %arrayidx5 = getelementptr inbounds nuw i32, ptr addrspace(3) %tile, i32 %conv
  br label %for.body

for.cond.cleanup:                                 ; preds = %if.end, %entry
  %sum.0.lcssa = phi i32 [ %0, %entry ], [ %sum.1, %if.end ]
  %call10 = tail call i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx11 = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %call10
  store i32 %sum.0.lcssa, ptr addrspace(1) %arrayidx11, align 4, !tbaa !5
  ret void

for.body:                                         ; preds = %for.body.lr.ph, %if.end
  %distance.022 = phi i32 [ 1, %for.body.lr.ph ], [ %shl, %if.end ]
  %sum.021 = phi i32 [ %0, %for.body.lr.ph ], [ %sum.1, %if.end ]
  store i32 %sum.021, ptr addrspace(3) %arrayidx5, align 4, !tbaa !5
  tail call void @_Z7barrierj(i32 noundef 1) #5
  %cmp6.not = icmp ugt i32 %distance.022, %conv
  br i1 %cmp6.not, label %if.end, label %if.then

if.then:                                          ; preds = %for.body
  %sub = sub nuw i32 %conv, %distance.022
  %arrayidx9 = getelementptr inbounds nuw i32, ptr addrspace(3) %tile, i32 %sub
  %1 = load i32, ptr addrspace(3) %arrayidx9, align 4, !tbaa !5
  %add = add nsw i32 %1, %sum.021
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  %sum.1 = phi i32 [ %add, %if.then ], [ %sum.021, %for.body ]
  tail call void @_Z7barrierj(i32 noundef 1) #5
  %shl = shl i32 %distance.022, 1
  %cmp = icmp ult i32 %shl, %conv2
  br i1 %cmp, label %for.body, label %for.cond.cleanup
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare hidden i64 @_Z12get_local_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare hidden i64 @_Z14get_local_sizej(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare hidden i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare hidden void @_Z7barrierj(i32 noundef) local_unnamed_addr #3

attributes #0 = { convergent norecurse nounwind "amdgpu-flat-work-group-size"="1,256" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #1 = { alwaysinline convergent norecurse nounwind "amdgpu-flat-work-group-size"="1,256" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #2 = { convergent mustprogress nofree nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #3 = { convergent nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #4 = { convergent nounwind willreturn memory(none) }
attributes #5 = { convergent nounwind }

!llvm.module.flags = !{!0, !1, !2}
!opencl.ocl.version = !{!3}
!llvm.ident = !{!4}
!llvm.errno.tbaa = !{!5}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 2, i32 0}
!4 = !{!"clang version 22.1.8"}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C/C++ TBAA"}
!9 = !{i32 1, i32 1, i32 3}
!10 = !{!"none", !"none", !"none"}
!11 = !{!"int*", !"int*", !"int*"}
!12 = !{!"const", !"", !""}
!13 = !{}
