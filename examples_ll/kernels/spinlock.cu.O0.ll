; clang-22 -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -fno-discard-value-names -emit-llvm -S -O0 spinlock.cu -o spinlock.cu.O0.ll
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

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local ptx_kernel void @spinlock(ptr noundef %lock, ptr noundef %sum) #0 {
entry:
  %lock.addr = alloca ptr, align 8
  %sum.addr = alloca ptr, align 8
  %mine = alloca i32, align 4
  %done = alloca i8, align 1
  %.atomictmp = alloca i32, align 4
  %atomic-temp = alloca i32, align 4
  %.atomictmp3 = alloca i32, align 4
  store ptr %lock, ptr %lock.addr, align 8
  store ptr %sum, ptr %sum.addr, align 8
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul nsw i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add nsw i32 %mul, %2
  %add1 = add nsw i32 %add, 1
  store i32 %add1, ptr %mine, align 4
  store i8 0, ptr %done, align 1
  br label %while.cond

while.cond:                                       ; preds = %if.end, %entry
  %3 = load i8, ptr %done, align 1
  %loadedv = trunc i8 %3 to i1
  %lnot = xor i1 %loadedv, true
  br i1 %lnot, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %4 = load ptr, ptr %lock.addr, align 8
  store i32 1, ptr %.atomictmp, align 4
  %5 = load i32, ptr %.atomictmp, align 4
  %6 = atomicrmw xchg ptr %4, i32 %5 acquire, align 4
  store i32 %6, ptr %atomic-temp, align 4
  %7 = load i32, ptr %atomic-temp, align 4
  %cmp = icmp eq i32 %7, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %while.body
  %8 = load i32, ptr %mine, align 4
  %9 = load ptr, ptr %sum.addr, align 8
  %10 = load i32, ptr %9, align 4
  %add2 = add nsw i32 %10, %8
  store i32 %add2, ptr %9, align 4
  %11 = load ptr, ptr %lock.addr, align 8
  store i32 0, ptr %.atomictmp3, align 4
  %12 = load i32, ptr %.atomictmp3, align 4
  store atomic i32 %12, ptr %11 release, align 4
  store i8 1, ptr %done, align 1
  br label %if.end

if.end:                                           ; preds = %if.then, %while.body
  br label %while.cond, !llvm.loop !4

while.end:                                        ; preds = %while.cond
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx88,+sm_70" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!"clang version 22.1.8"}
!4 = distinct !{!4, !5}
!5 = !{!"llvm.loop.mustprogress"}
