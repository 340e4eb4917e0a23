; clang-22 -x cl -cl-std=CL2.0 -target nvptx64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O0 bitonic.cl -o bitonic.cl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8
; CONVCHECK: --buffer %data=i32[16]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22
; CONVCHECK: --buffer %tile=i32[8]
; CONVCHECK: --show %data
; CHECK: %data = i32[16]: -49, -46, -43, -24, -20, 1, 13, 35, -33, 0, 10, 14, 22, 31, 41, 47

source_filename = "bitonic.cl"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64"

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local ptx_kernel void @bitonic(ptr addrspace(1) noundef align 4 %data, ptr addrspace(3) noundef align 4 %tile) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %data.addr = alloca ptr addrspace(1), align 8
  %tile.addr = alloca ptr addrspace(3), align 8
  store ptr addrspace(1) %data, ptr %data.addr, align 8
  store ptr addrspace(3) %tile, ptr %tile.addr, align 8
  %0 = load ptr addrspace(1), ptr %data.addr, align 8
  %1 = load ptr addrspace(3), ptr %tile.addr, align 8
  call void @__clang_ocl_kern_imp_bitonic(ptr addrspace(1) noundef align 4 %0, ptr addrspace(3) noundef align 4 %1) #4
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local void @__clang_ocl_kern_imp_bitonic(ptr addrspace(1) noundef align 4 %data, ptr addrspace(3) noundef align 4 %tile) #1 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %data.addr = alloca ptr addrspace(1), align 8
  %tile.addr = alloca ptr addrspace(3), align 8
  %me = alloca i32, align 4
  %size = alloca i32, align 4
  %stride = alloca i32, align 4
  %other = alloca i32, align 4
  %up = alloca i8, align 1
  %mine = alloca i32, align 4
  %its = alloca i32, align 4
  store ptr addrspace(1) %data, ptr %data.addr, align 8
  store ptr addrspace(3) %tile, ptr %tile.addr, align 8
  %call = call i64 @_Z12get_local_idj(i32 noundef 0) #5
  %conv = trunc i64 %call to i32
  store i32 %conv, ptr %me, align 4
  %0 = load ptr addrspace(1), ptr %data.addr, align 8
  %call1 = call i64 @_Z13get_global_idj(i32 noundef 0) #5
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %0, i64 %call1
  %1 = load i32, ptr addrspace(1) %arrayidx, align 4
  %2 = load ptr addrspace(3), ptr %tile.addr, align 8
  %3 = load i32, ptr %me, align 4
  %idxprom = zext i32 %3 to i64
  %arrayidx2 = getelementptr inbounds nuw i32, ptr addrspace(3) %2, i64 %idxprom
  store i32 %1, ptr addrspace(3) %arrayidx2, align 4
  call void @_Z7barrierj(i32 noundef 1) #4
  store i32 2, ptr %size, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc30, %entry
  %4 = load i32, ptr %size, align 4
  %conv3 = zext i32 %4 to i64
  %call4 = call i64 @_Z14get_local_sizej(i32 noundef 0) #5
  %cmp = icmp ule i64 %conv3, %call4
  br i1 %cmp, label %for.body, label %for.end31

for.body:                                         ; preds = %for.cond
  %5 = load i32, ptr %size, align 4
  %shr = lshr i32 %5, 1
  store i32 %shr, ptr %stride, align 4
  br label %for.cond6

for.cond6:                                        ; preds = %for.inc, %for.body
  %6 = load i32, ptr %stride, align 4
  %cmp7 = icmp ugt i32 %6, 0
  br i1 %cmp7, label %for.body9, label %for.end

for.body9:                                        ; preds = %for.cond6
  %7 = load i32, ptr %me, align 4
  %8 = load i32, ptr %stride, align 4
  %xor = xor i32 %7, %8
  store i32 %xor, ptr %other, align 4
  %9 = load i32, ptr %other, align 4
  %10 = load i32, ptr %me, align 4
  %cmp10 = icmp ugt i32 %9, %10
  br i1 %cmp10, label %if.then, label %if.end28

if.then:                                          ; preds = %for.body9
  %11 = load i32, ptr %me, align 4
  %12 = load i32, ptr %size, align 4
  %and = and i32 %11, %12
  %cmp12 = icmp eq i32 %and, 0
  %storedv = zext i1 %cmp12 to i8
  store i8 %storedv, ptr %up, align 1
  %13 = load ptr addrspace(3), ptr %tile.addr, align 8
  %14 = load i32, ptr %me, align 4
  %idxprom14 = zext i32 %14 to i64
  %arrayidx15 = getelementptr inbounds nuw i32, ptr addrspace(3) %13, i64 %idxprom14
  %15 = load i32, ptr addrspace(3) %arrayidx15, align 4
  store i32 %15, ptr %mine, align 4
  %16 = load ptr addrspace(3), ptr %tile.addr, align 8
  %17 = load i32, ptr %other, align 4
  %idxprom16 = zext i32 %17 to i64
  %arrayidx17 = getelementptr inbounds nuw i32, ptr addrspace(3) %16, i64 %idxprom16
  %18 = load i32, ptr addrspace(3) %arrayidx17, align 4
  store i32 %18, ptr %its, align 4
  %19 = load i32, ptr %mine, align 4
  %20 = load i32, ptr %its, align 4
  %cmp18 = icmp sgt i32 %19, %20
  %conv19 = zext i1 %cmp18 to i32
  %21 = load i8, ptr %up, align 1
  %loadedv = trunc i8 %21 to i1
  %conv20 = zext i1 %loadedv to i32
  %cmp21 = icmp eq i32 %conv19, %conv20
  br i1 %cmp21, label %if.then23, label %if.end

if.then23:                                        ; preds = %if.then
  %22 = load i32, ptr %its, align 4
  %23 = load ptr addrspace(3), ptr %tile.addr, align 8
  %24 = load i32, ptr %me, align 4
  %idxprom24 = zext i32 %24 to i64
  %arrayidx25 = getelementptr inbounds nuw i32, ptr addrspace(3) %23, i64 %idxprom24
  store i32 %22, ptr addrspace(3) %arrayidx25, align 4
  %25 = load i32, ptr %mine, align 4
  %26 = load ptr addrspace(3), ptr %tile.addr, align 8
  %27 = load i32, ptr %other, align 4
  %idxprom26 = zext i32 %27 to i64
  %arrayidx27 = getelementptr inbounds nuw i32, ptr addrspace(3) %26, i64 %idxprom26
  store i32 %25, ptr addrspace(3) %arrayidx27, align 4
  br label %if.end

if.end:                                           ; preds = %if.then23, %if.then
  br label %if.end28

if.end28:                                         ; preds = %if.end, %for.body9
  call void @_Z7barrierj(i32 noundef 1) #4
  br label %for.inc

for.inc:                                          ; preds = %if.end28
  %28 = load i32, ptr %stride, align 4
  %shr29 = lshr i32 %28, 1
  store i32 %shr29, ptr %stride, align 4
  br label %for.cond6

for.end:                                          ; preds = %for.cond6
  br label %for.inc30

for.inc30:                                        ; preds = %for.end
  %29 = load i32, ptr %size, align 4
  %shl = shl i32 %29, 1
  store i32 %shl, ptr %size, align 4
  br label %for.cond

for.end31:                                        ; preds = %for.cond
  %30 = load ptr addrspace(3), ptr %tile.addr, align 8
  %31 = load i32, ptr %me, align 4
  %idxprom32 = zext i32 %31 to i64
  %arrayidx33 = getelementptr inbounds nuw i32, ptr addrspace(3) %30, i64 %idxprom32
  %32 = load i32, ptr addrspace(3) %arrayidx33, align 4
  %33 = load ptr addrspace(1), ptr %data.addr, align 8
  %call34 = call i64 @_Z13get_global_idj(i32 noundef 0) #5
  %arrayidx35 = getelementptr inbounds nuw i32, ptr addrspace(1) %33, i64 %call34
  store i32 %32, ptr addrspace(1) %arrayidx35, align 4
  ret void
}

; Function Attrs: convergent nounwind willreturn memory(none)
declare dso_local i64 @_Z12get_local_idj(i32 noundef) #2

; Function Attrs: convergent nounwind willreturn memory(none)
declare dso_local i64 @_Z13get_global_idj(i32 noundef) #2

; Function Attrs: convergent nounwind
declare dso_local void @_Z7barrierj(i32 noundef) #3

; Function Attrs: convergent nounwind willreturn memory(none)
declare dso_local i64 @_Z14get_local_sizej(i32 noundef) #2

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx88" "uniform-work-group-size"="false" }
attributes #1 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx88" }
attributes #2 = { convergent nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx88" }
attributes #3 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx88" }
attributes #4 = { convergent nounwind }
attributes #5 = { convergent nounwind willreturn memory(none) }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 2, i32 0}
!3 = !{!"clang version 22.1.8"}
!4 = !{i32 1, i32 3}
!5 = !{!"none", !"none"}
!6 = !{!"int*", !"int*"}
!7 = !{!"", !""}
