; clang-22 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O2 histogram.cl -o histogram.cl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --arg %size=48
; CONVCHECK: --buffer %in=u8[48]:95,130,194,217,207,235,15,163,33,215,217,130,248,189,16,69,184,232,205,78,169,61,125,10,29,240,66,19,182,39,59,4,59,81,222,44,120,122,50,208,78,28,64,166,121,89,170,233
; CONVCHECK: --buffer %counts=i32[8]:2,3,4,3,3,2,2,4
; CONVCHECK: --show %counts
; CHECK: %counts = i32[8]: 10, 11, 12, 8, 6, 8, 7, 9

source_filename = "histogram.cl"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@histogram.bins = internal addrspace(3) global [8 x i32] undef, align 4

; Function Attrs: convergent norecurse nounwind
define protected amdgpu_kernel void @histogram(ptr addrspace(1) noundef readonly align 1 captures(none) %in, i32 noundef %size, ptr addrspace(1) noundef align 4 %counts) local_unnamed_addr #0 !kernel_arg_addr_space !9 !kernel_arg_access_qual !10 !kernel_arg_type !11 !kernel_arg_base_type !11 !kernel_arg_type_qual !12 {
entry:
  %call.i = tail call i64 @_Z12get_local_idj(i32 noundef 0) #4
  %0 = and i64 %call.i, 4294967288
  %cmp.i = icmp eq i64 %0, 0
  br i1 %cmp.i, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %entry
  %1 = trunc i64 %call.i to i32
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(3) @histogram.bins, i32 %1
  store i32 0, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !5
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %entry
  tail call void @_Z7barrierj(i32 noundef 1) #5
  %call2.i = tail call i64 @_Z13get_global_idj(i32 noundef 0) #4
  %i.0.i1 = trunc i64 %call2.i to i32
  %cmp4.i2 = icmp ugt i32 %size, %i.0.i1
  br i1 %cmp4.i2, label %for.body.i, label %for.cond.cleanup.i

for.cond.cleanup.i:                               ; preds = %for.body.i, %if.end.i
  tail call void @_Z7barrierj(i32 noundef 1) #5
  br i1 %cmp.i, label %if.then17.i, label %__clang_ocl_kern_imp_histogram.exit

for.body.i:                                       ; preds = %if.end.i, %for.body.i
  %i.0.in.i3 = phi i64 [ %add.i, %for.body.i ], [ %call2.i, %if.end.i ]
  %idxprom6.i = and i64 %i.0.in.i3, 4294967295
  %arrayidx7.i = getelementptr inbounds nuw i8, ptr addrspace(1) %in, i64 %idxprom6.i
  %2 = load i8, ptr addrspace(1) %arrayidx7.i, align 1, !tbaa !13
  %3 = and i8 %2, 7
  %4 = zext nneg i8 %3 to i32
  %arrayidx10.i = getelementptr inbounds nuw i32, ptr addrspace(3) @histogram.bins, i32 %4
  %call11.i = tail call i32 @_Z10atomic_incPU3AS3Vi(ptr addrspace(3) noundef %arrayidx10.i) #5
  %call12.i = tail call i64 @_Z15get_global_sizej(i32 noundef 0) #4
  %add.i = add i64 %call12.i, %idxprom6.i
  %i.0.i = trunc i64 %add.i to i32
  %cmp4.i = icmp ugt i32 %size, %i.0.i
  br i1 %cmp4.i, label %for.body.i, label %for.cond.cleanup.i

if.then17.i:                                      ; preds = %for.cond.cleanup.i
  %5 = trunc i64 %call.i to i32
  %arrayidx21.i = getelementptr inbounds nuw i32, ptr addrspace(3) @histogram.bins, i32 %5
  %idxprom18.i = and i64 %call.i, 7
  %arrayidx19.i = getelementptr inbounds nuw i32, ptr addrspace(1) %counts, i64 %idxprom18.i
  %6 = load i32, ptr addrspace(3) %arrayidx21.i, align 4, !tbaa !5
  %call22.i = tail call i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef %arrayidx19.i, i32 noundef %6) #5
  br label %__clang_ocl_kern_imp_histogram.exit

__clang_ocl_kern_imp_histogram.exit:              ; preds = %for.cond.cleanup.i, %if.then17.i
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define protected void @__clang_ocl_kern_imp_histogram(ptr addrspace(1) noundef readonly align 1 captures(none) %in, i32 noundef %size, ptr addrspace(1) noundef align 4 %counts) local_unnamed_addr #1 !kernel_arg_addr_space !9 !kernel_arg_access_qual !10 !kernel_arg_type !11 !kernel_arg_base_type !11 !kernel_arg_type_qual !12 {
entry:
  %call = tail call i64 @_Z12get_local_idj(i32 noundef 0) #4
  %0 = and i64 %call, 4294967288
  %cmp = icmp eq i64 %0, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %1 = trunc i64 %call to i32
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(3) @histogram.bins, i32 %1
  store i32 0, ptr addrspace(3) %arrayidx, align 4, !tbaa !5
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  tail call void @_Z7barrierj(i32 noundef 1) #5
  %call2 = tail call i64 @_Z13get_global_idj(i32 noundef 0) #4
  %i.030 = trunc i64 %call2 to i32
  %cmp431 = icmp ugt i32 %size, %i.030
  br i1 %cmp431, label %for.body, label %for.cond.cleanup

for.cond.cleanup:                                 ; preds = %for.body, %if.end
  tail call void @_Z7barrierj(i32 noundef 1) #5
  br i1 %cmp, label %if.then17, label %if.end23

for.body:                                         ; preds = %if.end, %for.body
  %i.0.in32 = phi i64 [ %add, %for.body ], [ %call2, %if.end ]
  %idxprom6 = and i64 %i.0.in32, 4294967295
  %arrayidx7 = getelementptr inbounds nuw i8, ptr addrspace(1) %in, i64 %idxprom6
  %2 = load i8, ptr addrspace(1) %arrayidx7, align 1, !tbaa !13
  %3 = and i8 %2, 7
  %4 = zext nneg i8 %3 to i32
  %arrayidx10 = getelementptr inbounds nuw i32, ptr addrspace(3) @histogram.bins, i32 %4
  %call11 = tail call i32 @_Z10atomic_incPU3AS3Vi(ptr addrspace(3) noundef %arrayidx10) #5
  %call12 = tail call i64 @_Z15get_global_sizej(i32 noundef 0) #4
  %add = add i64 %call12, %idxprom6
  %i.0 = trunc i64 %add to i32
  %cmp4 = icmp ugt i32 %size, %i.0
  br i1 %cmp4, label %for.body, label %for.cond.cleanup

if.then17:                                        ; preds = %for.cond.cleanup
  %5 = trunc i64 %call to i32
  %arrayidx21 = getelementptr inbounds nuw i32, ptr addrspace(3) @histogram.bins, i32 %5
  %idxprom18 = and i64 %call, 7
  %arrayidx19 = getelementptr inbounds nuw i32, ptr addrspace(1) %counts, i64 %idxprom18
  %6 = load i32, ptr addrspace(3) %arrayidx21, align 4, !tbaa !5
  %call22 = tail call i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef %arrayidx19, i32 noundef %6) #5
  br label %if.end23

if.end23:                                         ; preds = %if.then17, %for.cond.cleanup
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare hidden i64 @_Z12get_local_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare hidden void @_Z7barrierj(i32 noundef) local_unnamed_addr #3

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare hidden i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare hidden i32 @_Z10atomic_incPU3AS3Vi(ptr addrspace(3) noundef) local_unnamed_addr #3

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare hidden i64 @_Z15get_global_sizej(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare hidden i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef, i32 noundef) local_unnamed_addr #3

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
!9 = !{i32 1, i32 0, i32 1}
!10 = !{!"none", !"none", !"none"}
!11 = !{!"uchar*", !"uint", !"int*"}
!12 = !{!"const", !"", !""}
!13 = !{!7, !7, i64 0}
