; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O2 reduction.hip -o reduction.hip.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 64
; CONVCHECK: --buffer %in=i32[128]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22,13,4,5,43,-23,31,17,-50,-11,35,5,-47,26,22,34,-33,-42,36,-48,4,-42,-21,-2,-8,-10,-48,-50,-38,-50,17,2,14,-25,11,26,-12,-4,49,30,48,-13,18,45,15,34,18,20,-12,37,-37,7,22,34,2,-13,-19,-8,-2,21,38,-43,43,3,-15,17,7,-25,-18,21,9,0,-17,26,-11,-18,39,-24,-28,21,12,-46,-42,-13,33,-10,28,-19,-27,29,37,-43,-45,17,-17,7,-35,36,-5,39,29,20,-27,26,-45,7,-10,49,-31,44,-41,12,8
; CONVCHECK: --buffer %out=i32[2]
; CONVCHECK: --show %out
; CHECK: %out = i32[2]: 32, 46

source_filename = "reduction.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@_ZZ9reductionE4tile = internal unnamed_addr addrspace(3) global [64 x i32] undef, align 16
@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress nofree norecurse nounwind
define protected amdgpu_kernel void @reduction(ptr addrspace(1) noundef readonly captures(none) %in.coerce, ptr addrspace(1) noundef writeonly captures(none) %out.coerce) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %1 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %2 = tail call align 8 dereferenceable(256) ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %3 = getelementptr inbounds nuw i8, ptr addrspace(4) %2, i64 12
  %4 = load i16, ptr addrspace(4) %3, align 4, !range !9, !invariant.load !10, !noundef !10
  %conv = zext nneg i16 %4 to i32
  %mul = mul i32 %1, %conv
  %add = add i32 %mul, %0
  %idxprom = zext i32 %add to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %in.coerce, i64 %idxprom
  %5 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !5
  %arrayidx4 = getelementptr inbounds nuw i32, ptr addrspace(3) @_ZZ9reductionE4tile, i32 %0
  store i32 %5, ptr addrspace(3) %arrayidx4, align 4, !tbaa !5
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %stride.027 = lshr i32 %conv, 1
  %cmp.not28 = icmp eq i32 %stride.027, 0
  br i1 %cmp.not28, label %for.cond.cleanup, label %for.body

for.cond.cleanup:                                 ; preds = %if.end, %entry
  %cmp13 = icmp eq i32 %0, 0
  br i1 %cmp13, label %if.then14, label %if.end17

for.body:                                         ; preds = %entry, %if.end
  %stride.029 = phi i32 [ %stride.0, %if.end ], [ %stride.027, %entry ]
  %cmp6 = icmp samesign ult i32 %0, %stride.029
  br i1 %cmp6, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %arrayidx9 = getelementptr inbounds nuw i32, ptr addrspace(3) %arrayidx4, i32 %stride.029
  %6 = load i32, ptr addrspace(3) %arrayidx9, align 4, !tbaa !5
  %7 = load i32, ptr addrspace(3) %arrayidx4, align 4, !tbaa !5
  %add12 = add nsw i32 %7, %6
  store i32 %add12, ptr addrspace(3) %arrayidx4, align 4, !tbaa !5
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %stride.0 = lshr i32 %stride.029, 1
  %cmp.not = icmp eq i32 %stride.0, 0
  br i1 %cmp.not, label %for.cond.cleanup, label %for.body, !llvm.loop !11

if.then14:                                        ; preds = %for.cond.cleanup
  %idxprom15 = zext i32 %1 to i64
  %arrayidx16 = getelementptr inbounds nuw i32, ptr addrspace(1) %out.coerce, i64 %idxprom15
  %8 = load i32, ptr addrspace(3) @_ZZ9reductionE4tile, align 16, !tbaa !5
  store i32 %8, ptr addrspace(1) %arrayidx16, align 4, !tbaa !5
  br label %if.end17

if.end17:                                         ; preds = %if.then14, %for.cond.cleanup
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef align 4 ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr() #1

; Function Attrs: convergent mustprogress nocallback nofree nounwind willreturn
declare void @llvm.amdgcn.s.barrier() #2

attributes #0 = { convergent mustprogress nofree norecurse nounwind "amdgpu-flat-work-group-size"="1,1024" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+atomic-fmin-fmax-global-f32,+atomic-fmin-fmax-global-f64,+ci-insts,+cube-insts,+cvt-pknorm-vop2-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+lerp-inst,+qsad-insts,+s-memrealtime,+s-memtime-inst,+sad-insts,+wavefrontsize32" "uniform-work-group-size"="true" }
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
!9 = !{i16 1, i16 1025}
!10 = !{}
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.mustprogress"}
