; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O2 raymarch.hip -o raymarch.hip.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 32
; CONVCHECK: --buffer %distances=f32[512]:3.75,3.0,2.0,1.0,1.0,0.0,0.25,0.0,0.5,3.25,2.5,3.5,2.0,2.25,3.75,2.75,3.0,2.5,2.0,3.5,1.0,3.25,2.5,0.0,1.5,3.25,2.0,0.0,3.0,2.75,3.25,0.5,0.75,3.75,0.0,2.0,0.25,1.0,1.75,1.5,1.5,0.0,0.0,0.25,0.0,2.5,2.0,2.5,1.5,2.75,3.0,1.5,1.75,3.75,3.0,3.75,1.5,2.5,3.75,2.5,3.25,2.75,2.75,1.5,4.0,1.0,2.25,2.75,3.25,2.0,1.5,1.0,1.5,1.75,2.75,3.5,0.25,3.5,2.0,1.25,3.0,2.75,1.0,1.25,2.75,2.25,2.0,1.25,3.0,1.5,1.25,3.5,1.0,0.75,2.75,2.25,0.5,0.75,1.5,3.25,1.5,3.0,1.25,0.75,3.0,3.5,0.25,0.0,2.5,1.25,2.25,0.5,3.75,2.25,3.5,3.0,2.75,0.75,3.0,0.0,2.25,1.5,3.75,0.75,3.75,0.25,2.25,2.25,4.0,1.5,3.5,2.5,3.5,0.75,3.0,3.75,0.0,1.25,2.5,0.25,2.0,2.5,3.0,3.5,2.0,2.25,1.75,3.75,0.75,1.75,0.0,1.5,3.75,2.25,1.25,3.75,2.25,3.75,0.0,1.75,3.75,3.5,1.5,1.75,1.5,2.0,0.75,3.0,0.25,1.5,1.0,2.75,2.75,2.75,3.5,3.5,1.0,0.75,0.5,2.75,3.75,3.5,2.5,3.75,3.25,0.0,0.25,3.25,0.25,3.75,3.25,3.75,1.75,1.0,2.0,3.75,1.25,3.5,1.5,3.25,0.75,1.75,1.25,0.75,3.5,3.0,0.5,3.5,4.25,1.5,1.5,2.0,2.5,1.75,0.5,3.5,2.75,0.0,3.25,2.75,0.5,2.25,2.0,0.0,4.0,3.25,1.0,0.0,0.25,3.0,0.5,2.0,3.5,3.5,1.0,0.25,1.75,3.25,2.25,0.25,3.0,1.75,0.75,1.5,3.25,3.75,0.5,2.0,3.0,1.0,1.0,0.75,0.75,3.5,0.75,0.75,1.0,0.75,3.0,1.0,3.0,2.25,3.25,2.0,3.0,3.0,0.0,2.0,1.75,1.0,1.75,1.5,2.25,3.75,3.25,2.5,2.75,3.75,2.5,1.25,0.25,2.0,0.75,2.25,0.0,3.25,3.75,0.5,3.75,2.0,0.0,3.5,3.75,0.0,2.25,3.25,3.0,1.5,3.25,3.25,0.25,0.0,0.25,1.25,0.75,0.75,1.0,2.5,2.0,1.0,3.75,2.75,2.5,3.75,3.0,0.5,0.0,3.25,1.5,0.0,2.25,2.0,1.5,1.5,1.25,1.75,1.75,3.75,2.75,3.0,0.0,1.0,3.75,1.0,2.0,3.25,3.0,4.0,0.5,2.0,2.5,1.25,2.25,3.75,2.75,1.25,0.25,0.5,1.0,3.5,1.0,3.0,1.5,3.0,2.0,3.75,2.25,3.5,3.75,2.75,2.5,3.25,3.75,0.75,2.25,0.5,0.25,2.5,0.5,3.25,3.25,0.5,2.5,1.5,3.5,3.5,2.25,2.0,2.75,2.25,2.75,0.75,3.0,2.0,3.5,2.5,1.0,0.25,2.0,3.75,0.0,2.25,1.75,0.0,2.0,3.0,2.75,3.75,2.0,2.25,4.25,1.75,3.0,0.75,1.25,2.5,2.25,0.75,2.5,2.25,3.5,2.25,3.5,3.75,0.25,0.25,2.5,2.25,2.0,2.75,1.25,0.5,2.5,1.5,3.5,0.25,2.75,2.75,1.0,0.25,1.25,1.5,4.25,3.75,0.75,1.75,2.25,3.5,0.5,3.0,3.5,3.5,1.0,0.5,2.25,0.25,0.5,0.25,1.25,3.75,2.5,2.5,3.75,1.75,0.0,0.5,1.0,2.5,1.25,1.25,0.25,2.75,0.0,1.75,3.25,2.5,2.5,3.0,0.75,0.25,0.0,2.25,1.0,0.75,2.75,3.0,3.75,1.75,2.0,3.75,2.5,1.0,1.0,3.75,0.0,3.0,2.5,1.75,3.25,3.25,1.75,2.25,3.0,2.5,1.75,3.5,4.0,0.75,2.0,3.25,0.25,1.5,2.0,1.25,2.75,3.75,1.25,3.0,0.25,1.75,0.0,1.5
; CONVCHECK: --buffer %depth=f32[32]
; CONVCHECK: --buffer %together=i32[32]
; CONVCHECK: --show %depth
; CONVCHECK: --show %together
; CHECK: %depth = f32[32]: 5.75, 16.25, 9.5, 16.75, 16.25, 17.5, 11.5, 18.0, 17.0, 16.75, 17.75, 9.25, 19.0, 16.0, 17.0, 16.75, 16.25, 16.75, 13.75, 16.75, 10.75, 16.75, 17.5, 17.5, 6.0, 16.0, 16.75, 16.0, 6.75, 6.25, 18.75, 14.25
; CHECK: %together = i32[32]: 31, 22, 26, 22, 22, 22, 14, 22, 14, 22, 22, 26, 12, 26, 4, 12, 12, 26, 29, 12, 27, 12, 12, 12, 29, 2, 3, 2, 31, 32, 22, 12

source_filename = "raymarch.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress nofree norecurse nounwind memory(argmem: readwrite)
define protected amdgpu_kernel void @raymarch(ptr addrspace(1) noundef readonly captures(none) %distances.coerce, ptr addrspace(1) noundef writeonly captures(none) %depth.coerce, ptr addrspace(1) noundef writeonly captures(none) %together.coerce) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %1 = tail call align 8 dereferenceable(256) ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %2 = getelementptr inbounds nuw i8, ptr addrspace(4) %1, i64 12
  %3 = load i16, ptr addrspace(4) %2, align 4, !range !9, !invariant.load !10, !noundef !10
  %conv = zext nneg i16 %3 to i32
  %mul = mul i32 %0, %conv
  %4 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %add = add i32 %mul, %4
  %mul4 = shl i32 %add, 4
  br label %while.cond

while.cond:                                       ; preds = %cleanup, %entry
  %last.0 = phi i32 [ 0, %entry ], [ %last.1, %cleanup ]
  %t.0 = phi float [ 0.000000e+00, %entry ], [ %t.1, %cleanup ]
  %cmp = fcmp contract olt float %t.0, 1.600000e+01
  br i1 %cmp, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %conv5 = fptosi float %t.0 to i32
  %add6 = add i32 %mul4, %conv5
  %idxprom = zext i32 %add6 to i64
  %arrayidx = getelementptr inbounds nuw float, ptr addrspace(1) %distances.coerce, i64 %idxprom
  %5 = load float, ptr addrspace(1) %arrayidx, align 4, !tbaa !11
  %cmp7 = fcmp contract uge float %5, 2.500000e-01
  br i1 %cmp7, label %if.end, label %cleanup

if.end:                                           ; preds = %while.body
  %add8 = fadd contract float %t.0, %5
  %6 = tail call noundef i32 @llvm.amdgcn.ballot.i32(i1 true)
  %7 = tail call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %6)
  br label %cleanup

cleanup:                                          ; preds = %while.body, %if.end
  %last.1 = phi i32 [ %7, %if.end ], [ %last.0, %while.body ]
  %t.1 = phi float [ %add8, %if.end ], [ %t.0, %while.body ]
  br i1 %cmp7, label %while.cond, label %while.end

while.end:                                        ; preds = %cleanup, %while.cond
  %last.2 = phi i32 [ %last.1, %cleanup ], [ %last.0, %while.cond ]
  %t.2 = phi float [ %t.1, %cleanup ], [ %t.0, %while.cond ]
  %idxprom9 = zext i32 %add to i64
  %arrayidx10 = getelementptr inbounds nuw float, ptr addrspace(1) %depth.coerce, i64 %idxprom9
  store float %t.2, ptr addrspace(1) %arrayidx10, align 4, !tbaa !11
  %arrayidx12 = getelementptr inbounds nuw i32, ptr addrspace(1) %together.coerce, i64 %idxprom9
  store i32 %last.2, ptr addrspace(1) %arrayidx12, align 4, !tbaa !5
  ret void
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
!11 = !{!12, !12, i64 0}
!12 = !{!"float", !7, i64 0}
