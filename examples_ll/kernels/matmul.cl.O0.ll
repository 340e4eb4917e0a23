; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O0 matmul.cl -o matmul.cl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2,2 --workgroup 2,2 --arg %n=4
; CONVCHECK: --buffer %a=f32[16]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25
; CONVCHECK: --buffer %b=f32[16]:4.0,1.25,1.75,13.75,-7.25,10.0,5.25,-16.0,-3.5,11.25,1.5,-15.0,8.25,7.25,11.0,-10.5
; CONVCHECK: --buffer %c=f32[16]
; CONVCHECK: --show %c
; CHECK: %c = f32[16]: -49.5625, 4.6875, -40.5625, 158.25, 2.1875, -422.375, -279.5, 519.0625, -23.875, 234.5625, 184.25, -512.125, -16.25, 253.8125, 119.3125, -353.125

source_filename = "matmul.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

@matmul.as = internal addrspace(3) global [2 x [2 x float]] undef, align 4
@matmul.bs = internal addrspace(3) global [2 x [2 x float]] undef, align 4

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_kernel void @matmul(ptr addrspace(1) noundef align 4 %a, ptr addrspace(1) noundef align 4 %b, ptr addrspace(1) noundef align 4 %c, i32 noundef %n) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 !reqd_work_group_size !8 {
entry:
  %a.addr = alloca ptr addrspace(1), align 8
  %b.addr = alloca ptr addrspace(1), align 8
  %c.addr = alloca ptr addrspace(1), align 8
  %n.addr = alloca i32, align 4
  store ptr addrspace(1) %a, ptr %a.addr, align 8
  store ptr addrspace(1) %b, ptr %b.addr, align 8
  store ptr addrspace(1) %c, ptr %c.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr addrspace(1), ptr %a.addr, align 8
  %1 = load ptr addrspace(1), ptr %b.addr, align 8
  %2 = load ptr addrspace(1), ptr %c.addr, align 8
  %3 = load i32, ptr %n.addr, align 4
  call spir_func void @__clang_ocl_kern_imp_matmul(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, ptr addrspace(1) noundef align 4 %2, i32 noundef %3) #4
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_func void @__clang_ocl_kern_imp_matmul(ptr addrspace(1) noundef align 4 %a, ptr addrspace(1) noundef align 4 %b, ptr addrspace(1) noundef align 4 %c, i32 noundef %n) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 !reqd_work_group_size !8 {
entry:
  %a.addr = alloca ptr addrspace(1), align 8
  %b.addr = alloca ptr addrspace(1), align 8
  %c.addr = alloca ptr addrspace(1), align 8
  %n.addr = alloca i32, align 4
  %x = alloca i32, align 4
  %y = alloca i32, align 4
  %column = alloca i32, align 4
  %row = alloca i32, align 4
  %sum = alloca float, align 4
  %t = alloca i32, align 4
  %k = alloca i32, align 4
  store ptr addrspace(1) %a, ptr %a.addr, align 8
  store ptr addrspace(1) %b, ptr %b.addr, align 8
  store ptr addrspace(1) %c, ptr %c.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %call = call spir_func i64 @_Z12get_local_idj(i32 noundef 0) #5
  %conv = trunc i64 %call to i32
  store i32 %conv, ptr %x, align 4
  %call1 = call spir_func i64 @_Z12get_local_idj(i32 noundef 1) #5
  %conv2 = trunc i64 %call1 to i32
  store i32 %conv2, ptr %y, align 4
  %call3 = call spir_func i64 @_Z12get_group_idj(i32 noundef 0) #5
  %mul = mul i64 %call3, 2
  %0 = load i32, ptr %x, align 4
  %conv4 = sext i32 %0 to i64
  %add = add i64 %mul, %conv4
  %conv5 = trunc i64 %add to i32
  store i32 %conv5, ptr %column, align 4
  %call6 = call spir_func i64 @_Z12get_group_idj(i32 noundef 1) #5
  %mul7 = mul i64 %call6, 2
  %1 = load i32, ptr %y, align 4
  %conv8 = sext i32 %1 to i64
  %add9 = add i64 %mul7, %conv8
  %conv10 = trunc i64 %add9 to i32
  store i32 %conv10, ptr %row, align 4
  store float 0.000000e+00, ptr %sum, align 4
  store i32 0, ptr %t, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc41, %entry
  %2 = load i32, ptr %t, align 4
  %3 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %2, %3
  br i1 %cmp, label %for.body, label %for.end43

for.body:                                         ; preds = %for.cond
  %4 = load ptr addrspace(1), ptr %a.addr, align 8
  %5 = load i32, ptr %row, align 4
  %6 = load i32, ptr %n.addr, align 4
  %mul12 = mul nsw i32 %5, %6
  %7 = load i32, ptr %t, align 4
  %add13 = add nsw i32 %mul12, %7
  %8 = load i32, ptr %x, align 4
  %add14 = add nsw i32 %add13, %8
  %idxprom = sext i32 %add14 to i64
  %arrayidx = getelementptr inbounds float, ptr addrspace(1) %4, i64 %idxprom
  %9 = load float, ptr addrspace(1) %arrayidx, align 4
  %10 = load i32, ptr %y, align 4
  %idxprom15 = sext i32 %10 to i64
  %arrayidx16 = getelementptr inbounds [2 x [2 x float]], ptr addrspace(3) @matmul.as, i64 0, i64 %idxprom15
  %11 = load i32, ptr %x, align 4
  %idxprom17 = sext i32 %11 to i64
  %arrayidx18 = getelementptr inbounds [2 x float], ptr addrspace(3) %arrayidx16, i64 0, i64 %idxprom17
  store float %9, ptr addrspace(3) %arrayidx18, align 4
  %12 = load ptr addrspace(1), ptr %b.addr, align 8
  %13 = load i32, ptr %t, align 4
  %14 = load i32, ptr %y, align 4
  %add19 = add nsw i32 %13, %14
  %15 = load i32, ptr %n.addr, align 4
  %mul20 = mul nsw i32 %add19, %15
  %16 = load i32, ptr %column, align 4
  %add21 = add nsw i32 %mul20, %16
  %idxprom22 = sext i32 %add21 to i64
  %arrayidx23 = getelementptr inbounds float, ptr addrspace(1) %12, i64 %idxprom22
  %17 = load float, ptr addrspace(1) %arrayidx23, align 4
  %18 = load i32, ptr %y, align 4
  %idxprom24 = sext i32 %18 to i64
  %arrayidx25 = getelementptr inbounds [2 x [2 x float]], ptr addrspace(3) @matmul.bs, i64 0, i64 %idxprom24
  %19 = load i32, ptr %x, align 4
  %idxprom26 = sext i32 %19 to i64
  %arrayidx27 = getelementptr inbounds [2 x float], ptr addrspace(3) %arrayidx25, i64 0, i64 %idxprom26
  store float %17, ptr addrspace(3) %arrayidx27, align 4
  call spir_func void @_Z7barrierj(i32 noundef 1) #6
  store i32 0, ptr %k, align 4
  br label %for.cond28

for.cond28:                                       ; preds = %for.inc, %for.body
  %20 = load i32, ptr %k, align 4
  %cmp29 = icmp slt i32 %20, 2
  br i1 %cmp29, label %for.body31, label %for.end

for.body31:                                       ; preds = %for.cond28
  %21 = load i32, ptr %y, align 4
  %idxprom32 = sext i32 %21 to i64
  %arrayidx33 = getelementptr inbounds [2 x [2 x float]], ptr addrspace(3) @matmul.as, i64 0, i64 %idxprom32
  %22 = load i32, ptr %k, align 4
  %idxprom34 = sext i32 %22 to i64
  %arrayidx35 = getelementptr inbounds [2 x float], ptr addrspace(3) %arrayidx33, i64 0, i64 %idxprom34
  %23 = load float, ptr addrspace(3) %arrayidx35, align 4
  %24 = load i32, ptr %k, align 4
  %idxprom36 = sext i32 %24 to i64
  %arrayidx37 = getelementptr inbounds [2 x [2 x float]], ptr addrspace(3) @matmul.bs, i64 0, i64 %idxprom36
  %25 = load i32, ptr %x, align 4
  %idxprom38 = sext i32 %25 to i64
  %arrayidx39 = getelementptr inbounds [2 x float], ptr addrspace(3) %arrayidx37, i64 0, i64 %idxprom38
  %26 = load float, ptr addrspace(3) %arrayidx39, align 4
  %27 = load float, ptr %sum, align 4
  %28 = call float @llvm.fmuladd.f32(float %23, float %26, float %27)
  store float %28, ptr %sum, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body31
  %29 = load i32, ptr %k, align 4
  %inc = add nsw i32 %29, 1
  store i32 %inc, ptr %k, align 4
  br label %for.cond28

for.end:                                          ; preds = %for.cond28
  call spir_func void @_Z7barrierj(i32 noundef 1) #6
  br label %for.inc41

for.inc41:                                        ; preds = %for.end
  %30 = load i32, ptr %t, align 4
  %add42 = add nsw i32 %30, 2
  store i32 %add42, ptr %t, align 4
  br label %for.cond

for.end43:                                        ; preds = %for.cond
  %31 = load float, ptr %sum, align 4
  %32 = load ptr addrspace(1), ptr %c.addr, align 8
  %33 = load i32, ptr %row, align 4
  %34 = load i32, ptr %n.addr, align 4
  %mul44 = mul nsw i32 %33, %34
  %35 = load i32, ptr %column, align 4
  %add45 = add nsw i32 %mul44, %35
  %idxprom46 = sext i32 %add45 to i64
  %arrayidx47 = getelementptr inbounds float, ptr addrspace(1) %32, i64 %idxprom46
  store float %31, ptr addrspace(1) %arrayidx47, align 4
  ret void
}

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_local_idj(i32 noundef) #1

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_group_idj(i32 noundef) #1

; Function Attrs: convergent nounwind
declare spir_func void @_Z7barrierj(i32 noundef) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #3

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #1 = { convergent nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { convergent nounwind "uniform-work-group-size"="false" }
attributes #5 = { convergent nounwind willreturn memory(none) }
attributes #6 = { convergent nounwind }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 2, i32 0}
!3 = !{!"clang version 22.1.8"}
!4 = !{i32 1, i32 1, i32 1, i32 0}
!5 = !{!"none", !"none", !"none", !"none"}
!6 = !{!"float*", !"float*", !"float*", !"int"}
!7 = !{!"const", !"const", !"", !""}
!8 = !{i32 2, i32 2, i32 1}
