; clang-22 -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -fno-discard-value-names -emit-llvm -S -O0 bitonic.cu -o bitonic.cu.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 32
; CONVCHECK: --buffer %data=f32[32]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25,4.0,1.25,1.75,13.75,-7.25,10.0,5.25,-16.0,-3.5,11.25,1.5,-15.0,8.25,7.25,11.0,-10.5
; CONVCHECK: --show %data
; CHECK: %data = f32[32]: -16.0, -15.5, -15.0, -14.75, -13.75, -10.5, -10.5, -7.5, -7.25, -6.25, -3.5, 0.0, 0.25, 1.25, 1.5, 1.75, 3.25, 4.0, 4.25, 4.75, 5.25, 7.25, 7.25, 8.25, 10.0, 10.0, 11.0, 11.0, 11.25, 13.0, 13.75, 15.0

source_filename = "bitonic.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = dso_local addrspace(3) global [32 x float] undef, align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local ptx_kernel void @bitonic(ptr noundef %data) #0 {
entry:
  %data.addr = alloca ptr, align 8
  %me = alloca i32, align 4
  %id = alloca i32, align 4
  %size = alloca i32, align 4
  %stride = alloca i32, align 4
  store ptr %data, ptr %data.addr, align 8
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %0, ptr %me, align 4
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul nsw i32 %1, %2
  %3 = load i32, ptr %me, align 4
  %add = add i32 %mul, %3
  store i32 %add, ptr %id, align 4
  %4 = load ptr, ptr %data.addr, align 8
  %5 = load i32, ptr %id, align 4
  %idxprom = zext i32 %5 to i64
  %arrayidx = getelementptr inbounds nuw float, ptr %4, i64 %idxprom
  %6 = load float, ptr %arrayidx, align 4
  %7 = load i32, ptr %me, align 4
  %idxprom1 = zext i32 %7 to i64
  %arrayidx2 = getelementptr inbounds nuw [32 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %idxprom1
  store float %6, ptr %arrayidx2, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 2, ptr %size, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc10, %entry
  %8 = load i32, ptr %size, align 4
  %9 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %cmp = icmp ule i32 %8, %9
  br i1 %cmp, label %for.body, label %for.end11

for.body:                                         ; preds = %for.cond
  %10 = load i32, ptr %size, align 4
  %shr = lshr i32 %10, 1
  store i32 %shr, ptr %stride, align 4
  br label %for.cond3

for.cond3:                                        ; preds = %for.inc, %for.body
  %11 = load i32, ptr %stride, align 4
  %cmp4 = icmp ugt i32 %11, 0
  br i1 %cmp4, label %for.body5, label %for.end

for.body5:                                        ; preds = %for.cond3
  %12 = load i32, ptr %me, align 4
  %13 = load i32, ptr %stride, align 4
  %xor = xor i32 %12, %13
  %14 = load i32, ptr %me, align 4
  %cmp6 = icmp ugt i32 %xor, %14
  br i1 %cmp6, label %if.then, label %if.end

if.then:                                          ; preds = %for.body5
  %15 = load i32, ptr %me, align 4
  %16 = load i32, ptr %me, align 4
  %17 = load i32, ptr %stride, align 4
  %xor7 = xor i32 %16, %17
  %18 = load i32, ptr %me, align 4
  %19 = load i32, ptr %size, align 4
  %and = and i32 %18, %19
  %cmp8 = icmp eq i32 %and, 0
  call void @_ZL5orderjjb(i32 noundef %15, i32 noundef %xor7, i1 noundef zeroext %cmp8) #4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body5
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %20 = load i32, ptr %stride, align 4
  %shr9 = lshr i32 %20, 1
  store i32 %shr9, ptr %stride, align 4
  br label %for.cond3, !llvm.loop !4

for.end:                                          ; preds = %for.cond3
  br label %for.inc10

for.inc10:                                        ; preds = %for.end
  %21 = load i32, ptr %size, align 4
  %shl = shl i32 %21, 1
  store i32 %shl, ptr %size, align 4
  br label %for.cond, !llvm.loop !6

for.end11:                                        ; preds = %for.cond
  %22 = load i32, ptr %me, align 4
  %idxprom12 = zext i32 %22 to i64
  %arrayidx13 = getelementptr inbounds nuw [32 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %idxprom12
  %23 = load float, ptr %arrayidx13, align 4
  %24 = load ptr, ptr %data.addr, align 8
  %25 = load i32, ptr %id, align 4
  %idxprom14 = zext i32 %25 to i64
  %arrayidx15 = getelementptr inbounds nuw float, ptr %24, i64 %idxprom14
  store float %23, ptr %arrayidx15, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

; Function Attrs: convergent mustprogress noinline nounwind optnone
define internal void @_ZL5orderjjb(i32 noundef %a, i32 noundef %b, i1 noundef zeroext %up) #3 {
entry:
  %a.addr = alloca i32, align 4
  %b.addr = alloca i32, align 4
  %up.addr = alloca i8, align 1
  %t = alloca float, align 4
  store i32 %a, ptr %a.addr, align 4
  store i32 %b, ptr %b.addr, align 4
  %storedv = zext i1 %up to i8
  store i8 %storedv, ptr %up.addr, align 1
  %0 = load i32, ptr %a.addr, align 4
  %idxprom = zext i32 %0 to i64
  %arrayidx = getelementptr inbounds nuw [32 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %idxprom
  %1 = load float, ptr %arrayidx, align 4
  %2 = load i32, ptr %b.addr, align 4
  %idxprom1 = zext i32 %2 to i64
  %arrayidx2 = getelementptr inbounds nuw [32 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %idxprom1
  %3 = load float, ptr %arrayidx2, align 4
  %cmp = fcmp contract ogt float %1, %3
  %conv = zext i1 %cmp to i32
  %4 = load i8, ptr %up.addr, align 1
  %loadedv = trunc i8 %4 to i1
  %conv3 = zext i1 %loadedv to i32
  %cmp4 = icmp eq i32 %conv, %conv3
  br i1 %cmp4, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %5 = load i32, ptr %a.addr, align 4
  %idxprom5 = zext i32 %5 to i64
  %arrayidx6 = getelementptr inbounds nuw [32 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %idxprom5
  %6 = load float, ptr %arrayidx6, align 4
  store float %6, ptr %t, align 4
  %7 = load i32, ptr %b.addr, align 4
  %idxprom7 = zext i32 %7 to i64
  %arrayidx8 = getelementptr inbounds nuw [32 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %idxprom7
  %8 = load float, ptr %arrayidx8, align 4
  %9 = load i32, ptr %a.addr, align 4
  %idxprom9 = zext i32 %9 to i64
  %arrayidx10 = getelementptr inbounds nuw [32 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %idxprom9
  store float %8, ptr %arrayidx10, align 4
  %10 = load float, ptr %t, align 4
  %11 = load i32, ptr %b.addr, align 4
  %idxprom11 = zext i32 %11 to i64
  %arrayidx12 = getelementptr inbounds nuw [32 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %idxprom11
  store float %10, ptr %arrayidx12, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  ret void
}

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx88,+sm_70" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }
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
!6 = distinct !{!6, !5}
