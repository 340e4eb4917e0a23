; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O2 matmul.hip -o matmul.hip.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2,2 --workgroup 2,2 --arg %n=4
; CONVCHECK: --buffer %a=f32[16]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25
; CONVCHECK: --buffer %b=f32[16]:4.0,1.25,1.75,13.75,-7.25,10.0,5.25,-16.0,-3.5,11.25,1.5,-15.0,8.25,7.25,11.0,-10.5
; CONVCHECK: --buffer %c=f32[16]
; CONVCHECK: --show %c
; CHECK: %c = f32[16]: -49.5625, 4.6875, -40.5625, 158.25, 2.1875, -422.375, -279.5, 519.0625, -23.875, 234.5625, 184.25, -512.125, -16.25, 253.8125, 119.3125, -353.125

source_filename = "matmul.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@_ZZ6matmulE2as = internal unnamed_addr addrspace(3) global [2 x [2 x float]] undef, align 16
@_ZZ6matmulE2bs = internal unnamed_addr addrspace(3) global [2 x [2 x float]] undef, align 16
@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress nofree norecurse nounwind
define protected amdgpu_kernel void @matmul(ptr addrspace(1) noundef readonly captures(none) %a.coerce, ptr addrspace(1) noundef readonly captures(none) %b.coerce, ptr addrspace(1) noundef writeonly captures(none) %c.coerce, i32 noundef %n) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %1 = tail call i32 @llvm.amdgcn.workitem.id.y()
  %2 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %mul = shl i32 %2, 1
  %add = add i32 %mul, %0
  %3 = tail call i32 @llvm.amdgcn.workgroup.id.y()
  %mul4 = shl i32 %3, 1
  %add5 = add i32 %mul4, %1
  %cmp65 = icmp sgt i32 %n, 0
  %mul6 = mul nsw i32 %n, %add5
  br i1 %cmp65, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:                                   ; preds = %entry
  %add7 = add i32 %mul6, %0
  %arrayidx10 = getelementptr inbounds nuw [2 x float], ptr addrspace(3) @_ZZ6matmulE2as, i32 %1
  %arrayidx12 = getelementptr inbounds nuw float, ptr addrspace(3) %arrayidx10, i32 %0
  %arrayidx19 = getelementptr inbounds nuw [2 x float], ptr addrspace(3) @_ZZ6matmulE2bs, i32 %1
  %arrayidx21 = getelementptr inbounds nuw float, ptr addrspace(3) %arrayidx19, i32 %0
  %invariant.gep = getelementptr inbounds nuw float, ptr addrspace(3) @_ZZ6matmulE2bs, i32 %0
  %arrayidx29.1 = getelementptr inbounds nuw i8, ptr addrspace(3) %arrayidx10, i32 4
  %gep.1 = getelementptr inbounds nuw i8, ptr addrspace(3) %invariant.gep, i32 8
  br label %for.body

for.cond.cleanup:                                 ; preds = %for.body, %entry
  %sum.0.lcssa = phi float [ 0.000000e+00, %entry ], [ %add35.1, %for.body ]
  %add40 = add nsw i32 %mul6, %add
  %idxprom41 = sext i32 %add40 to i64
  %arrayidx42 = getelementptr inbounds float, ptr addrspace(1) %c.coerce, i64 %idxprom41
  store float %sum.0.lcssa, ptr addrspace(1) %arrayidx42, align 4, !tbaa !9
  ret void

for.body:                                         ; preds = %for.body.lr.ph, %for.body
  %t.067 = phi i32 [ 0, %for.body.lr.ph ], [ %add37, %for.body ]
  %sum.066 = phi float [ 0.000000e+00, %for.body.lr.ph ], [ %add35.1, %for.body ]
  %add8 = add i32 %add7, %t.067
  %idxprom = sext i32 %add8 to i64
  %arrayidx = getelementptr inbounds float, ptr addrspace(1) %a.coerce, i64 %idxprom
  %4 = load float, ptr addrspace(1) %arrayidx, align 4, !tbaa !9
  store float %4, ptr addrspace(3) %arrayidx12, align 4, !tbaa !9
  %add13 = add nuw nsw i32 %t.067, %1
  %mul14 = mul nuw nsw i32 %add13, %n
  %add15 = add nsw i32 %mul14, %add
  %idxprom16 = sext i32 %add15 to i64
  %arrayidx17 = getelementptr inbounds float, ptr addrspace(1) %b.coerce, i64 %idxprom16
  %5 = load float, ptr addrspace(1) %arrayidx17, align 4, !tbaa !9
  store float %5, ptr addrspace(3) %arrayidx21, align 4, !tbaa !9
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %6 = load float, ptr addrspace(3) %arrayidx10, align 8, !tbaa !9
  %7 = load float, ptr addrspace(3) %invariant.gep, align 4, !tbaa !9
  %mul34 = fmul contract float %6, %7
  %add35 = fadd contract float %sum.066, %mul34
  %8 = load float, ptr addrspace(3) %arrayidx29.1, align 4, !tbaa !9
  %9 = load float, ptr addrspace(3) %gep.1, align 4, !tbaa !9
  %mul34.1 = fmul contract float %8, %9
  %add35.1 = fadd contract float %add35, %mul34.1
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %add37 = add nuw nsw i32 %t.067, 2
  %cmp = icmp slt i32 %add37, %n
  br i1 %cmp, label %for.body, label %for.cond.cleanup, !llvm.loop !11
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.y() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.y() #1

; Function Attrs: convergent mustprogress nocallback nofree nounwind willreturn
declare void @llvm.amdgcn.s.barrier() #2

attributes #0 = { convergent mustprogress nofree norecurse nounwind "amdgpu-flat-work-group-size"="1,1024" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-z" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+atomic-fmin-fmax-global-f32,+atomic-fmin-fmax-global-f64,+ci-insts,+cube-insts,+cvt-pknorm-vop2-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+lerp-inst,+qsad-insts,+s-memrealtime,+s-memtime-inst,+sad-insts,+wavefrontsize32" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress nocallback nofree nounwind willreturn }

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
!9 = !{!10, !10, i64 0}
!10 = !{!"float", !7, i64 0}
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.mustprogress"}
