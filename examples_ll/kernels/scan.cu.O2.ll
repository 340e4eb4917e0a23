; clang-22 -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -fno-discard-value-names -emit-llvm -S -O2 scan.cu -o scan.cu.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 32
; CONVCHECK: --buffer %in=i32[32]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22,13,4,5,43,-23,31,17,-50,-11,35,5,-47,26,22,34,-33
; CONVCHECK: --buffer %out=i32[32]
; CONVCHECK: --show %out
; CHECK: %out = i32[32]: 0, 35, 48, 49, 25, 5, -41, -84, -133, -166, -135, -121, -80, -80, -70, -23, -1, 12, 16, 21, 64, 41, 72, 89, 39, 28, 63, 68, 21, 47, 69, 103

source_filename = "scan.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ4scanE4tile = internal unnamed_addr addrspace(3) global [32 x i32] undef, align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @scan(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %1 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %mul = mul i32 %2, %1
  %add = add i32 %mul, %0
  %idxprom = zext i32 %add to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr %in, i64 %idxprom
  %3 = load i32, ptr %arrayidx, align 4, !tbaa !4
  %idxprom1 = zext nneg i32 %0 to i64
  %arrayidx2 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4tile to ptr), i64 %idxprom1
  store i32 %3, ptr %arrayidx2, align 4, !tbaa !4
  %cmp71 = icmp samesign ugt i32 %1, 1
  br i1 %cmp71, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:                                   ; preds = %entry
  %add3 = add nuw nsw i32 %0, 1
  br label %for.body

for.cond.cleanup:                                 ; preds = %for.inc, %entry
  %sub11 = add nsw i32 %1, -1
  %cmp12 = icmp eq i32 %0, %sub11
  br i1 %cmp12, label %if.then13, label %if.end16

for.body:                                         ; preds = %for.body.lr.ph, %for.inc
  %step.072 = phi i32 [ 1, %for.body.lr.ph ], [ %mul4, %for.inc ]
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %mul4 = shl nuw nsw i32 %step.072, 1
  %4 = add nuw i32 %mul4, 2047
  %rem = and i32 %4, %add3
  %cmp5 = icmp eq i32 %rem, 0
  br i1 %cmp5, label %if.then, label %for.inc

if.then:                                          ; preds = %for.body
  %sub = sub nsw i32 %0, %step.072
  %idxprom6 = zext i32 %sub to i64
  %arrayidx7 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4tile to ptr), i64 %idxprom6
  %5 = load i32, ptr %arrayidx7, align 4, !tbaa !4
  %6 = load i32, ptr %arrayidx2, align 4, !tbaa !4
  %add10 = add nsw i32 %6, %5
  store i32 %add10, ptr %arrayidx2, align 4, !tbaa !4
  br label %for.inc

for.inc:                                          ; preds = %for.body, %if.then
  %cmp = icmp samesign ult i32 %mul4, %1
  br i1 %cmp, label %for.body, label %for.cond.cleanup, !llvm.loop !8

if.then13:                                        ; preds = %for.cond.cleanup
  store i32 0, ptr %arrayidx2, align 4, !tbaa !4
  br label %if.end16

if.end16:                                         ; preds = %if.then13, %for.cond.cleanup
  %step17.073 = lshr i32 %1, 1
  %cmp19.not74 = icmp eq i32 %step17.073, 0
  br i1 %cmp19.not74, label %for.cond.cleanup20, label %for.body21.lr.ph

for.body21.lr.ph:                                 ; preds = %if.end16
  %add22 = add nuw nsw i32 %0, 1
  br label %for.body21

for.cond.cleanup20:                               ; preds = %for.inc39, %if.end16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %7 = load i32, ptr %arrayidx2, align 4, !tbaa !4
  %arrayidx45 = getelementptr inbounds nuw i32, ptr %out, i64 %idxprom
  store i32 %7, ptr %arrayidx45, align 4, !tbaa !4
  ret void

for.body21:                                       ; preds = %for.body21.lr.ph, %for.inc39
  %step17.076 = phi i32 [ %step17.073, %for.body21.lr.ph ], [ %step17.0, %for.inc39 ]
  %step17.0.in75 = phi i32 [ %1, %for.body21.lr.ph ], [ %step17.076, %for.inc39 ]
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %mul23 = and i32 %step17.0.in75, 2046
  %rem24 = urem i32 %add22, %mul23
  %cmp25 = icmp eq i32 %rem24, 0
  br i1 %cmp25, label %if.then26, label %for.inc39

if.then26:                                        ; preds = %for.body21
  %sub27 = sub nsw i32 %0, %step17.076
  %idxprom28 = zext i32 %sub27 to i64
  %arrayidx29 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4tile to ptr), i64 %idxprom28
  %8 = load i32, ptr %arrayidx29, align 4, !tbaa !4
  %9 = load i32, ptr %arrayidx2, align 4, !tbaa !4
  store i32 %9, ptr %arrayidx29, align 4, !tbaa !4
  %add37 = add nsw i32 %9, %8
  store i32 %add37, ptr %arrayidx2, align 4, !tbaa !4
  br label %for.inc39

for.inc39:                                        ; preds = %for.body21, %if.then26
  %step17.0 = lshr i32 %step17.076, 1
  %cmp19.not = icmp eq i32 %step17.0, 0
  br i1 %cmp19.not, label %for.cond.cleanup20, label %for.body21, !llvm.loop !10
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

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
!8 = distinct !{!8, !9}
!9 = !{!"llvm.loop.mustprogress"}
!10 = distinct !{!10, !9}
