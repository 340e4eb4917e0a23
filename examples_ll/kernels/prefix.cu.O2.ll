; clang-22 -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -fno-discard-value-names -emit-llvm -S -O2 prefix.cu -o prefix.cu.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 32 --subgroup-size 32
; CONVCHECK: --buffer %in=i32[32]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22,13,4,5,43,-23,31,17,-50,-11,35,5,-47,26,22,34,-33
; CONVCHECK: --buffer %out=i32[32]
; CONVCHECK: --show %out
; CHECK: %out = i32[32]: 35, 48, 49, 25, 5, -41, -84, -133, -166, -135, -121, -80, -80, -70, -23, -1, 12, 16, 21, 64, 41, 72, 89, 39, 28, 63, 68, 21, 47, 69, 103, 70

source_filename = "prefix.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @prefix(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul nuw nsw i32 %0, %1
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add nuw nsw i32 %mul, %2
  %idxprom = zext nneg i32 %add to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr %in, i64 %idxprom
  %3 = load i32, ptr %arrayidx, align 4, !tbaa !4
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %5 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %3, i32 1, i32 0)
  %cmp1.not = icmp eq i32 %4, 0
  %add2 = select i1 %cmp1.not, i32 0, i32 %5
  %spec.select = add nsw i32 %add2, %3
  %6 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select, i32 2, i32 0)
  %cmp1.not.1 = icmp samesign ult i32 %4, 2
  %add2.1 = select i1 %cmp1.not.1, i32 0, i32 %6
  %spec.select.1 = add nsw i32 %add2.1, %spec.select
  %7 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select.1, i32 4, i32 0)
  %cmp1.not.2 = icmp samesign ult i32 %4, 4
  %add2.2 = select i1 %cmp1.not.2, i32 0, i32 %7
  %spec.select.2 = add nsw i32 %add2.2, %spec.select.1
  %8 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select.2, i32 8, i32 0)
  %cmp1.not.3 = icmp samesign ult i32 %4, 8
  %add2.3 = select i1 %cmp1.not.3, i32 0, i32 %8
  %spec.select.3 = add nsw i32 %add2.3, %spec.select.2
  %9 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select.3, i32 16, i32 0)
  %cmp1.not.4 = icmp samesign ult i32 %4, 16
  %add2.4 = select i1 %cmp1.not.4, i32 0, i32 %9
  %spec.select.4 = add nsw i32 %add2.4, %spec.select.3
  %arrayidx4 = getelementptr inbounds nuw i32, ptr %out, i64 %idxprom
  store i32 %spec.select.4, ptr %arrayidx4, align 4, !tbaa !4
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.laneid() #1

attributes #0 = { convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx88,+sm_70" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }

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
