; clang-22 -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -fno-discard-value-names -emit-llvm -S -O2 bitonic.cu -o bitonic.cu.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 32
; CONVCHECK: --buffer %data=f32[32]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25,4.0,1.25,1.75,13.75,-7.25,10.0,5.25,-16.0,-3.5,11.25,1.5,-15.0,8.25,7.25,11.0,-10.5
; CONVCHECK: --show %data
; CHECK: %data = f32[32]: -16.0, -15.5, -15.0, -14.75, -13.75, -10.5, -10.5, -7.5, -7.25, -6.25, -3.5, 0.0, 0.25, 1.25, 1.5, 1.75, 3.25, 4.0, 4.25, 4.75, 5.25, 7.25, 7.25, 8.25, 10.0, 10.0, 11.0, 11.0, 11.25, 13.0, 13.75, 15.0

source_filename = "bitonic.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = dso_local local_unnamed_addr addrspace(3) global [32 x float] undef, align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @bitonic(ptr noundef captures(none) %data) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %1 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul nuw nsw i32 %1, %2
  %add = add nuw i32 %mul, %0
  %idxprom = zext i32 %add to i64
  %arrayidx = getelementptr inbounds nuw float, ptr %data, i64 %idxprom
  %3 = load float, ptr %arrayidx, align 4, !tbaa !8
  %idxprom1 = zext nneg i32 %0 to i64
  %arrayidx2 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 %idxprom1
  store float %3, ptr %arrayidx2, align 4, !tbaa !8
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %cmp.not34 = icmp samesign ult i32 %2, 2
  br i1 %cmp.not34, label %for.cond.cleanup, label %for.cond3.preheader

for.cond3.preheader:                              ; preds = %entry, %for.cond.cleanup5
  %size.035 = phi i32 [ %shl, %for.cond.cleanup5 ], [ 2, %entry ]
  %stride.032 = lshr exact i32 %size.035, 1
  %and = and i32 %size.035, %0
  %cmp9 = icmp eq i32 %and, 0
  br label %for.body6

for.cond.cleanup:                                 ; preds = %for.cond.cleanup5, %entry
  %4 = load float, ptr %arrayidx2, align 4, !tbaa !8
  store float %4, ptr %arrayidx, align 4, !tbaa !8
  ret void

for.cond.cleanup5:                                ; preds = %if.end
  %shl = shl nuw nsw i32 %size.035, 1
  %cmp.not = icmp samesign ugt i32 %shl, %2
  br i1 %cmp.not, label %for.cond.cleanup, label %for.cond3.preheader, !llvm.loop !10

for.body6:                                        ; preds = %for.cond3.preheader, %if.end
  %stride.033 = phi i32 [ %stride.032, %for.cond3.preheader ], [ %stride.0, %if.end ]
  %xor = xor i32 %stride.033, %0
  %cmp7 = icmp samesign ugt i32 %xor, %0
  br i1 %cmp7, label %if.then, label %if.end

if.then:                                          ; preds = %for.body6
  %5 = load float, ptr %arrayidx2, align 4, !tbaa !8
  %idxprom1.i = zext nneg i32 %xor to i64
  %arrayidx2.i = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 %idxprom1.i
  %6 = load float, ptr %arrayidx2.i, align 4, !tbaa !8
  %7 = fcmp ule float %5, %6
  %cmp4.i = xor i1 %cmp9, %7
  br i1 %cmp4.i, label %if.then.i, label %if.end

if.then.i:                                        ; preds = %if.then
  store float %6, ptr %arrayidx2, align 4, !tbaa !8
  store float %5, ptr %arrayidx2.i, align 4, !tbaa !8
  br label %if.end

if.end:                                           ; preds = %if.then.i, %if.then, %for.body6
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %stride.0 = lshr i32 %stride.033, 1
  %cmp4.not = icmp eq i32 %stride.0, 0
  br i1 %cmp4.not, label %for.cond.cleanup5, label %for.body6, !llvm.loop !12
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

attributes #0 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx88,+sm_70" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!"clang version 22.1.8"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C++ TBAA"}
!8 = !{!9, !9, i64 0}
!9 = !{!"float", !6, i64 0}
!10 = distinct !{!10, !11}
!11 = !{!"llvm.loop.mustprogress"}
!12 = distinct !{!12, !11}
