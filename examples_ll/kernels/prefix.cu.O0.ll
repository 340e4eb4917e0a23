; clang-22 -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -fno-discard-value-names -emit-llvm -S -O0 prefix.cu -o prefix.cu.O0.ll
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

$_Z4lanev = comdat any

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local ptx_kernel void @prefix(ptr noundef %in, ptr noundef %out) #0 {
entry:
  %in.addr = alloca ptr, align 8
  %out.addr = alloca ptr, align 8
  %id = alloca i32, align 4
  %sum = alloca i32, align 4
  %distance = alloca i32, align 4
  %before = alloca i32, align 4
  store ptr %in, ptr %in.addr, align 8
  store ptr %out, ptr %out.addr, align 8
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul nsw i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add nsw i32 %mul, %2
  store i32 %add, ptr %id, align 4
  %3 = load ptr, ptr %in.addr, align 8
  %4 = load i32, ptr %id, align 4
  %idxprom = zext i32 %4 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr %3, i64 %idxprom
  %5 = load i32, ptr %arrayidx, align 4
  store i32 %5, ptr %sum, align 4
  store i32 1, ptr %distance, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %6 = load i32, ptr %distance, align 4
  %cmp = icmp ult i32 %6, 32
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %7 = load i32, ptr %sum, align 4
  %8 = load i32, ptr %distance, align 4
  %9 = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %7, i32 %8, i32 0)
  store i32 %9, ptr %before, align 4
  %call = call noundef i32 @_Z4lanev() #4
  %10 = load i32, ptr %distance, align 4
  %cmp1 = icmp uge i32 %call, %10
  br i1 %cmp1, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %11 = load i32, ptr %before, align 4
  %12 = load i32, ptr %sum, align 4
  %add2 = add nsw i32 %12, %11
  store i32 %add2, ptr %sum, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %13 = load i32, ptr %distance, align 4
  %shl = shl i32 %13, 1
  store i32 %shl, ptr %distance, align 4
  br label %for.cond, !llvm.loop !4

for.end:                                          ; preds = %for.cond
  %14 = load i32, ptr %sum, align 4
  %15 = load ptr, ptr %out.addr, align 8
  %16 = load i32, ptr %id, align 4
  %idxprom3 = zext i32 %16 to i64
  %arrayidx4 = getelementptr inbounds nuw i32, ptr %15, i64 %idxprom3
  store i32 %14, ptr %arrayidx4, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32) #2

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_Z4lanev() #3 comdat {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  ret i32 %0
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.laneid() #1

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx88,+sm_70" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx88,+sm_70" }
attributes #4 = { convergent nounwind }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!"clang version 22.1.8"}
!4 = distinct !{!4, !5}
!5 = !{!"llvm.loop.mustprogress"}
