; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O2 nested.hip -o nested.hip.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 32 --subgroup-size 32
; CONVCHECK: --buffer %outer=i32[32]:3,2,2,1,1,0,0,0,0,3,2,3,2,2,3,2,2,2,2,3,1,3,2,0,1,3,2,0,3,2,3,0
; CONVCHECK: --buffer %inner=i32[32]:0,3,0,2,0,1,1,1,1,0,0,0,0,2,2,2,1,2,3,1,1,3,3,3,1,2,3,2,3,2,2,1
; CONVCHECK: --buffer %out=i32[32]
; CONVCHECK: --show %out
; CHECK: %out = i32[32]: 3400, 2572, 2500, 2532, 2500, 0, 0, 0, 0, 3400, 2500, 3400, 2500, 2560, 3471, 2560, 2533, 2560, 2572, 3439, 2518, 3485, 2572, 0, 2518, 3471, 2572, 0, 3485, 2560, 3471, 0

source_filename = "nested.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress nofree norecurse nounwind memory(argmem: readwrite)
define protected amdgpu_kernel void @nested(ptr addrspace(1) noundef readonly captures(none) %outer.coerce, ptr addrspace(1) noundef readonly captures(none) %inner.coerce, ptr addrspace(1) noundef writeonly captures(none) %out.coerce) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %1 = tail call align 8 dereferenceable(256) ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %2 = getelementptr inbounds nuw i8, ptr addrspace(4) %1, i64 12
  %3 = load i16, ptr addrspace(4) %2, align 4, !range !9, !invariant.load !10, !noundef !10
  %conv = zext nneg i16 %3 to i32
  %mul = mul i32 %0, %conv
  %4 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %add = add i32 %mul, %4
  %idxprom = zext i32 %add to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %outer.coerce, i64 %idxprom
  %5 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !5
  %cmp30 = icmp sgt i32 %5, 0
  br i1 %cmp30, label %for.cond4.preheader.lr.ph, label %for.cond.cleanup

for.cond4.preheader.lr.ph:                        ; preds = %entry
  %arrayidx6 = getelementptr inbounds nuw i32, ptr addrspace(1) %inner.coerce, i64 %idxprom
  %6 = load i32, ptr addrspace(1) %arrayidx6, align 4, !tbaa !5
  %cmp727 = icmp sgt i32 %6, 0
  br label %for.cond4.preheader

for.cond4.preheader:                              ; preds = %for.cond4.preheader.lr.ph, %for.cond.cleanup8
  %i.032 = phi i32 [ 0, %for.cond4.preheader.lr.ph ], [ %inc16, %for.cond.cleanup8 ]
  %votes.031 = phi i32 [ 0, %for.cond4.preheader.lr.ph ], [ %add14, %for.cond.cleanup8 ]
  br i1 %cmp727, label %for.body9, label %for.cond.cleanup8

for.cond.cleanup:                                 ; preds = %for.cond.cleanup8, %entry
  %votes.0.lcssa = phi i32 [ 0, %entry ], [ %add14, %for.cond.cleanup8 ]
  %arrayidx19 = getelementptr inbounds nuw i32, ptr addrspace(1) %out.coerce, i64 %idxprom
  store i32 %votes.0.lcssa, ptr addrspace(1) %arrayidx19, align 4, !tbaa !5
  ret void

for.cond.cleanup8:                                ; preds = %for.body9, %for.cond4.preheader
  %votes.1.lcssa = phi i32 [ %votes.031, %for.cond4.preheader ], [ %add10, %for.body9 ]
  %rem = and i32 %i.032, 1
  %cmp11 = icmp eq i32 %rem, 0
  %7 = tail call noundef i32 @llvm.amdgcn.ballot.i32(i1 %cmp11)
  %8 = tail call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %7)
  %mul13 = mul nuw nsw i32 %8, 100
  %add14 = add nsw i32 %mul13, %votes.1.lcssa
  %inc16 = add nuw nsw i32 %i.032, 1
  %exitcond35.not = icmp eq i32 %inc16, %5
  br i1 %exitcond35.not, label %for.cond.cleanup, label %for.cond4.preheader, !llvm.loop !11

for.body9:                                        ; preds = %for.cond4.preheader, %for.body9
  %j.029 = phi i32 [ %inc, %for.body9 ], [ 0, %for.cond4.preheader ]
  %votes.128 = phi i32 [ %add10, %for.body9 ], [ %votes.031, %for.cond4.preheader ]
  %9 = tail call noundef i32 @llvm.amdgcn.ballot.i32(i1 true)
  %10 = tail call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %9)
  %add10 = add nsw i32 %10, %votes.128
  %inc = add nuw nsw i32 %j.029, 1
  %exitcond.not = icmp eq i32 %inc, %6
  br i1 %exitcond.not, label %for.cond.cleanup8, label %for.body9, !llvm.loop !13
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef align 4 ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #2

; Function Attrs: convergent mustprogress nocallback nocreateundeforpoison nofree nounwind willreturn memory(none)
declare i32 @llvm.amdgcn.ballot.i32(i1) #3

attributes #0 = { convergent mustprogress nofree norecurse nounwind memory(argmem: readwrite) "amdgpu-flat-work-group-size"="1,1024" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+atomic-fmin-fmax-global-f32,+atomic-fmin-fmax-global-f64,+ci-insts,+cube-insts,+cvt-pknorm-vop2-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+lerp-inst,+qsad-insts,+s-memrealtime,+s-memtime-inst,+sad-insts,+wavefrontsize32" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent mustprogress nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}
!llvm.errno.tbaa = !{!5}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"amdgpu_printf_kind", !"hostcall"}
!2 = !{i32 1, !"wchar_size", i32 4}
!3 = !{i32 8, !"PIC Level", i32 2}
!4 = !{!"clang version 22.1.8"}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = !{i16 1, i16 1025}
!10 = !{}
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.mustprogress"}
!13 = distinct !{!13, !12}
