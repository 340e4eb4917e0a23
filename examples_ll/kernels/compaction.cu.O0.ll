; clang-22 -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -fno-discard-value-names -emit-llvm -S -O0 compaction.cu -o compaction.cu.O0.ll
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

$_Z6ballotb = comdat any

$_Z4lanev = comdat any

$_Z9atomicAddPii = comdat any

$_Z7shuffleij = comdat any

$_Z5belowj = comdat any

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local ptx_kernel void @compaction(ptr noundef %in, ptr noundef %out, ptr noundef %size) #0 {
entry:
  %in.addr = alloca ptr, align 8
  %out.addr = alloca ptr, align 8
  %size.addr = alloca ptr, align 8
  %value = alloca i32, align 4
  %keep = alloca i32, align 4
  %first = alloca i32, align 4
  store ptr %in, ptr %in.addr, align 8
  store ptr %out, ptr %out.addr, align 8
  store ptr %size, ptr %size.addr, align 8
  %0 = load ptr, ptr %in.addr, align 8
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul nsw i32 %1, %2
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add nsw i32 %mul, %3
  %idxprom = sext i32 %add to i64
  %arrayidx = getelementptr inbounds i32, ptr %0, i64 %idxprom
  %4 = load i32, ptr %arrayidx, align 4
  store i32 %4, ptr %value, align 4
  %5 = load i32, ptr %value, align 4
  %cmp = icmp ne i32 %5, 0
  %call = call noundef i32 @_Z6ballotb(i1 noundef zeroext %cmp) #5
  store i32 %call, ptr %keep, align 4
  store i32 0, ptr %first, align 4
  %call1 = call noundef i32 @_Z4lanev() #5
  %cmp2 = icmp eq i32 %call1, 0
  br i1 %cmp2, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %6 = load ptr, ptr %size.addr, align 8
  %7 = load i32, ptr %keep, align 4
  %8 = call i32 @llvm.ctpop.i32(i32 %7)
  %call3 = call noundef i32 @_Z9atomicAddPii(ptr noundef %6, i32 noundef %8) #5
  store i32 %call3, ptr %first, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %9 = load i32, ptr %first, align 4
  %call4 = call noundef i32 @_Z7shuffleij(i32 noundef %9, i32 noundef 0) #5
  store i32 %call4, ptr %first, align 4
  %10 = load i32, ptr %value, align 4
  %cmp5 = icmp ne i32 %10, 0
  br i1 %cmp5, label %if.then6, label %if.end11

if.then6:                                         ; preds = %if.end
  %11 = load i32, ptr %value, align 4
  %12 = load ptr, ptr %out.addr, align 8
  %13 = load i32, ptr %first, align 4
  %14 = load i32, ptr %keep, align 4
  %call7 = call noundef i32 @_Z5belowj(i32 noundef %14) #5
  %add8 = add i32 %13, %call7
  %idxprom9 = zext i32 %add8 to i64
  %arrayidx10 = getelementptr inbounds nuw i32, ptr %12, i64 %idxprom9
  store i32 %11, ptr %arrayidx10, align 4
  br label %if.end11

if.end11:                                         ; preds = %if.then6, %if.end
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_Z6ballotb(i1 noundef zeroext %b) #2 comdat {
entry:
  %b.addr = alloca i8, align 1
  %storedv = zext i1 %b to i8
  store i8 %storedv, ptr %b.addr, align 1
  %0 = load i8, ptr %b.addr, align 1
  %loadedv = trunc i8 %0 to i1
  %1 = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %loadedv)
  ret i32 %1
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_Z4lanev() #2 comdat {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  ret i32 %0
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_Z9atomicAddPii(ptr noundef %where, i32 noundef %value) #2 comdat {
entry:
  %where.addr = alloca ptr, align 8
  %value.addr = alloca i32, align 4
  %.atomictmp = alloca i32, align 4
  %atomic-temp = alloca i32, align 4
  store ptr %where, ptr %where.addr, align 8
  store i32 %value, ptr %value.addr, align 4
  %0 = load ptr, ptr %where.addr, align 8
  %1 = load i32, ptr %value.addr, align 4
  store i32 %1, ptr %.atomictmp, align 4
  %2 = load i32, ptr %.atomictmp, align 4
  %3 = atomicrmw add ptr %0, i32 %2 monotonic, align 4
  store i32 %3, ptr %atomic-temp, align 4
  %4 = load i32, ptr %atomic-temp, align 4
  ret i32 %4
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #3

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_Z7shuffleij(i32 noundef %value, i32 noundef %from) #2 comdat {
entry:
  %value.addr = alloca i32, align 4
  %from.addr = alloca i32, align 4
  store i32 %value, ptr %value.addr, align 4
  store i32 %from, ptr %from.addr, align 4
  %0 = load i32, ptr %value.addr, align 4
  %1 = load i32, ptr %from.addr, align 4
  %2 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %0, i32 %1, i32 31)
  ret i32 %2
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_Z5belowj(i32 noundef %mask) #2 comdat {
entry:
  %mask.addr = alloca i32, align 4
  store i32 %mask, ptr %mask.addr, align 4
  %0 = load i32, ptr %mask.addr, align 4
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  %and = and i32 %0, %1
  %2 = call i32 @llvm.ctpop.i32(i32 %and)
  ret i32 %2
}

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.laneid() #1

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt() #1

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx88,+sm_70" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx88,+sm_70" }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #5 = { convergent nounwind }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!"clang version 22.1.8"}
