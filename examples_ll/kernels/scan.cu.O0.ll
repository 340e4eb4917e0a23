; clang-22 -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -fno-discard-value-names -emit-llvm -S -O0 scan.cu -o scan.cu.O0.ll
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

@_ZZ4scanE4tile = internal addrspace(3) global [32 x i32] undef, align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local ptx_kernel void @scan(ptr noundef %in, ptr noundef %out) #0 {
entry:
  %in.addr = alloca ptr, align 8
  %out.addr = alloca ptr, align 8
  %me = alloca i32, align 4
  %size = alloca i32, align 4
  %first = alloca i32, align 4
  %step = alloca i32, align 4
  %step17 = alloca i32, align 4
  %left = alloca i32, align 4
  store ptr %in, ptr %in.addr, align 8
  store ptr %out, ptr %out.addr, align 8
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %0, ptr %me, align 4
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store i32 %1, ptr %size, align 4
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %3 = load i32, ptr %size, align 4
  %mul = mul i32 %2, %3
  store i32 %mul, ptr %first, align 4
  %4 = load ptr, ptr %in.addr, align 8
  %5 = load i32, ptr %first, align 4
  %6 = load i32, ptr %me, align 4
  %add = add i32 %5, %6
  %idxprom = zext i32 %add to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr %4, i64 %idxprom
  %7 = load i32, ptr %arrayidx, align 4
  %8 = load i32, ptr %me, align 4
  %idxprom1 = zext i32 %8 to i64
  %arrayidx2 = getelementptr inbounds nuw [32 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4tile to ptr), i64 0, i64 %idxprom1
  store i32 %7, ptr %arrayidx2, align 4
  store i32 1, ptr %step, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %9 = load i32, ptr %step, align 4
  %10 = load i32, ptr %size, align 4
  %cmp = icmp ult i32 %9, %10
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %11 = load i32, ptr %me, align 4
  %add3 = add i32 %11, 1
  %12 = load i32, ptr %step, align 4
  %mul4 = mul i32 2, %12
  %rem = urem i32 %add3, %mul4
  %cmp5 = icmp eq i32 %rem, 0
  br i1 %cmp5, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %13 = load i32, ptr %me, align 4
  %14 = load i32, ptr %step, align 4
  %sub = sub i32 %13, %14
  %idxprom6 = zext i32 %sub to i64
  %arrayidx7 = getelementptr inbounds nuw [32 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4tile to ptr), i64 0, i64 %idxprom6
  %15 = load i32, ptr %arrayidx7, align 4
  %16 = load i32, ptr %me, align 4
  %idxprom8 = zext i32 %16 to i64
  %arrayidx9 = getelementptr inbounds nuw [32 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4tile to ptr), i64 0, i64 %idxprom8
  %17 = load i32, ptr %arrayidx9, align 4
  %add10 = add nsw i32 %17, %15
  store i32 %add10, ptr %arrayidx9, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %18 = load i32, ptr %step, align 4
  %shl = shl i32 %18, 1
  store i32 %shl, ptr %step, align 4
  br label %for.cond, !llvm.loop !4

for.end:                                          ; preds = %for.cond
  %19 = load i32, ptr %me, align 4
  %20 = load i32, ptr %size, align 4
  %sub11 = sub i32 %20, 1
  %cmp12 = icmp eq i32 %19, %sub11
  br i1 %cmp12, label %if.then13, label %if.end16

if.then13:                                        ; preds = %for.end
  %21 = load i32, ptr %me, align 4
  %idxprom14 = zext i32 %21 to i64
  %arrayidx15 = getelementptr inbounds nuw [32 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4tile to ptr), i64 0, i64 %idxprom14
  store i32 0, ptr %arrayidx15, align 4
  br label %if.end16

if.end16:                                         ; preds = %if.then13, %for.end
  %22 = load i32, ptr %size, align 4
  %div = udiv i32 %22, 2
  store i32 %div, ptr %step17, align 4
  br label %for.cond18

for.cond18:                                       ; preds = %for.inc38, %if.end16
  %23 = load i32, ptr %step17, align 4
  %cmp19 = icmp ugt i32 %23, 0
  br i1 %cmp19, label %for.body20, label %for.end39

for.body20:                                       ; preds = %for.cond18
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %24 = load i32, ptr %me, align 4
  %add21 = add i32 %24, 1
  %25 = load i32, ptr %step17, align 4
  %mul22 = mul i32 2, %25
  %rem23 = urem i32 %add21, %mul22
  %cmp24 = icmp eq i32 %rem23, 0
  br i1 %cmp24, label %if.then25, label %if.end37

if.then25:                                        ; preds = %for.body20
  %26 = load i32, ptr %me, align 4
  %27 = load i32, ptr %step17, align 4
  %sub26 = sub i32 %26, %27
  %idxprom27 = zext i32 %sub26 to i64
  %arrayidx28 = getelementptr inbounds nuw [32 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4tile to ptr), i64 0, i64 %idxprom27
  %28 = load i32, ptr %arrayidx28, align 4
  store i32 %28, ptr %left, align 4
  %29 = load i32, ptr %me, align 4
  %idxprom29 = zext i32 %29 to i64
  %arrayidx30 = getelementptr inbounds nuw [32 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4tile to ptr), i64 0, i64 %idxprom29
  %30 = load i32, ptr %arrayidx30, align 4
  %31 = load i32, ptr %me, align 4
  %32 = load i32, ptr %step17, align 4
  %sub31 = sub i32 %31, %32
  %idxprom32 = zext i32 %sub31 to i64
  %arrayidx33 = getelementptr inbounds nuw [32 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4tile to ptr), i64 0, i64 %idxprom32
  store i32 %30, ptr %arrayidx33, align 4
  %33 = load i32, ptr %left, align 4
  %34 = load i32, ptr %me, align 4
  %idxprom34 = zext i32 %34 to i64
  %arrayidx35 = getelementptr inbounds nuw [32 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4tile to ptr), i64 0, i64 %idxprom34
  %35 = load i32, ptr %arrayidx35, align 4
  %add36 = add nsw i32 %35, %33
  store i32 %add36, ptr %arrayidx35, align 4
  br label %if.end37

if.end37:                                         ; preds = %if.then25, %for.body20
  br label %for.inc38

for.inc38:                                        ; preds = %if.end37
  %36 = load i32, ptr %step17, align 4
  %shr = lshr i32 %36, 1
  store i32 %shr, ptr %step17, align 4
  br label %for.cond18, !llvm.loop !6

for.end39:                                        ; preds = %for.cond18
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %37 = load i32, ptr %me, align 4
  %idxprom40 = zext i32 %37 to i64
  %arrayidx41 = getelementptr inbounds nuw [32 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4tile to ptr), i64 0, i64 %idxprom40
  %38 = load i32, ptr %arrayidx41, align 4
  %39 = load ptr, ptr %out.addr, align 8
  %40 = load i32, ptr %first, align 4
  %41 = load i32, ptr %me, align 4
  %add42 = add i32 %40, %41
  %idxprom43 = zext i32 %add42 to i64
  %arrayidx44 = getelementptr inbounds nuw i32, ptr %39, i64 %idxprom43
  store i32 %38, ptr %arrayidx44, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx88,+sm_70" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!"clang version 22.1.8"}
!4 = distinct !{!4, !5}
!5 = !{!"llvm.loop.mustprogress"}
!6 = distinct !{!6, !5}
