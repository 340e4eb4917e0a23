; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O2 derivatives.hip -o derivatives.hip.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 32 --subgroup-size 32
; CONVCHECK: --buffer %in=f32[32]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25,4.0,1.25,1.75,13.75,-7.25,10.0,5.25,-16.0,-3.5,11.25,1.5,-15.0,8.25,7.25,11.0,-10.5
; CONVCHECK: --buffer %dx=f32[32]
; CONVCHECK: --buffer %dy=f32[32]
; CONVCHECK: --show %dx
; CONVCHECK: --show %dy
; CHECK: %dx = f32[32]: -6.75, -6.75, -7.75, -7.75, -8.5, -8.5, -1.75, -1.75, 20.5, 20.5, 8.25, 8.25, 3.25, 3.25, -7.75, -7.75, -2.75, -2.75, 12.0, 12.0, 17.25, 17.25, -21.25, -21.25, 14.75, 14.75, -16.5, -16.5, -1.0, -1.0, -21.5, -21.5
; CHECK: %dy = f32[32]: -10.75, -11.75, -10.75, -11.75, -7.5, -0.75, -7.5, -0.75, 15.25, 3.0, 15.25, 3.0, 15.0, 4.0, 15.0, 4.0, -2.25, 12.5, -2.25, 12.5, 12.5, -26.0, 12.5, -26.0, 5.0, -26.25, 5.0, -26.25, 2.75, -17.75, 2.75, -17.75

source_filename = "derivatives.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite)
define protected amdgpu_kernel void @derivatives(ptr addrspace(1) noundef readonly captures(none) %in.coerce, ptr addrspace(1) noundef writeonly captures(none) %dx.coerce, ptr addrspace(1) noundef writeonly captures(none) %dy.coerce) local_unnamed_addr #0 {
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
  %arrayidx = getelementptr inbounds nuw float, ptr addrspace(1) %in.coerce, i64 %idxprom
  %5 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !11
  %6 = tail call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %5, i32 245, i32 15, i32 15, i1 true)
  %7 = bitcast i32 %6 to float
  %8 = tail call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %5, i32 160, i32 15, i32 15, i1 true)
  %9 = bitcast i32 %8 to float
  %sub = fsub contract float %7, %9
  %arrayidx6 = getelementptr inbounds nuw float, ptr addrspace(1) %dx.coerce, i64 %idxprom
  store float %sub, ptr addrspace(1) %arrayidx6, align 4, !tbaa !11
  %10 = tail call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %5, i32 238, i32 15, i32 15, i1 true)
  %11 = bitcast i32 %10 to float
  %12 = tail call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %5, i32 68, i32 15, i32 15, i1 true)
  %13 = bitcast i32 %12 to float
  %sub9 = fsub contract float %11, %13
  %arrayidx11 = getelementptr inbounds nuw float, ptr addrspace(1) %dy.coerce, i64 %idxprom
  store float %sub9, ptr addrspace(1) %arrayidx11, align 4, !tbaa !11
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef align 4 ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

; Function Attrs: convergent mustprogress nocallback nofree nounwind willreturn memory(none)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg) #2

attributes #0 = { convergent mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite) "amdgpu-flat-work-group-size"="1,1024" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+atomic-fmin-fmax-global-f32,+atomic-fmin-fmax-global-f64,+ci-insts,+cube-insts,+cvt-pknorm-vop2-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+lerp-inst,+qsad-insts,+s-memrealtime,+s-memtime-inst,+sad-insts,+wavefrontsize32" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress nocallback nofree nounwind willreturn memory(none) }

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
!11 = !{!12, !12, i64 0}
!12 = !{!"float", !7, i64 0}
