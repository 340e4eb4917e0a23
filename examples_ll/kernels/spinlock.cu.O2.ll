; clang-22 -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -fno-discard-value-names -emit-llvm -S -O2 spinlock.cu -o spinlock.cu.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 4
; CONVCHECK: --buffer %lock=i32[1]
; CONVCHECK: --buffer %sum=i32[1]:35
; CONVCHECK: --show %lock
; CONVCHECK: --show %sum
; CHECK: %lock = i32[1]: 0
; CHECK: %sum = i32[1]: 71

source_filename = "spinlock.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @spinlock(ptr noundef captures(none) %lock, ptr noundef captures(none) %sum) local_unnamed_addr #0 {
entry:
  br label %while.body

while.body:                                       ; preds = %while.body, %entry
  %0 = atomicrmw xchg ptr %lock, i32 1 acquire, align 4
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %if.then, label %while.body

if.then:                                          ; preds = %while.body
  %1 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add nuw nsw i32 %1, 1
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul nuw nsw i32 %2, %3
  %add1 = add nuw i32 %add, %mul
  %4 = load i32, ptr %sum, align 4, !tbaa !4
  %add2 = add nsw i32 %add1, %4
  store i32 %add2, ptr %sum, align 4, !tbaa !4
  store atomic i32 0, ptr %lock release, align 4
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

attributes #0 = { mustprogress nofree noinline norecurse nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx88,+sm_70" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

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
