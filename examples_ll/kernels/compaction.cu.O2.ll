; clang-22 -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -fno-discard-value-names -emit-llvm -S -O2 compaction.cu -o compaction.cu.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 32 --subgroup-size 32
; CONVCHECK: --buffer %in=i32[64]:35,0,1,-24,-20,-46,0,0,0,0,14,41,0,10,47,0,13,4,0,0,-23,31,17,0,-11,0,0,-47,0,0,34,-33,0,0,0,4,0,-21,0,0,-10,-48,0,0,-50,0,2,0,-25,0,26,-12,-4,0,30,0,-13,0,45,0,34,0,20,-12
; CONVCHECK: --buffer %out=i32[64]
; CONVCHECK: --buffer %size=i32[1]
; CONVCHECK: --show %out
; CONVCHECK: --show %size
; CHECK: %size = i32[1]: 34

source_filename = "compaction.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @compaction(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out, ptr noundef captures(none) %size) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul nuw nsw i32 %0, %1
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add nuw nsw i32 %mul, %2
  %idxprom = zext nneg i32 %add to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr %in, i64 %idxprom
  %3 = load i32, ptr %arrayidx, align 4, !tbaa !4
  %cmp = icmp ne i32 %3, 0
  %4 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %cmp)
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %cmp2 = icmp eq i32 %5, 0
  br i1 %cmp2, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %6 = tail call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %4)
  %7 = atomicrmw add ptr %size, i32 %6 monotonic, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %first.0 = phi i32 [ %7, %if.then ], [ 0, %entry ]
  %8 = tail call noundef i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %first.0, i32 0, i32 31)
  br i1 %cmp, label %if.then6, label %if.end11

if.then6:                                         ; preds = %if.end
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  %and.i = and i32 %4, %9
  %10 = tail call noundef range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %and.i)
  %add8 = add i32 %8, %10
  %idxprom9 = zext i32 %add8 to i64
  %arrayidx10 = getelementptr inbounds nuw i32, ptr %out, i64 %idxprom9
  store i32 %3, ptr %arrayidx10, align 4, !tbaa !4
  br label %if.end11

if.end11:                                         ; preds = %if.then6, %if.end
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #2

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.laneid() #1

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt() #1

attributes #0 = { convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx88,+sm_70" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }

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
