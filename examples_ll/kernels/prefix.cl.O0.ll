; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O0 prefix.cl -o prefix.cl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer %in=i32[16]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22
; CONVCHECK: --buffer %inclusive=i32[16]
; CONVCHECK: --buffer %exclusive=i32[16]
; CONVCHECK: --buffer %total=i32[16]
; CONVCHECK: --show %inclusive
; CONVCHECK: --show %exclusive
; CONVCHECK: --show %total
; CHECK: %inclusive = i32[16]: 35, 48, 49, 25, 5, -41, -84, -133, -33, -2, 12, 53, 53, 63, 110, 132
; CHECK: %exclusive = i32[16]: -2147483648, 35, 35, 35, 35, 35, 35, 35, -2147483648, -33, 31, 31, 41, 41, 41, 47
; CHECK: %total = i32[16]: -133, -133, -133, -133, -133, -133, -133, -133, 132, 132, 132, 132, 132, 132, 132, 132

source_filename = "prefix.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_kernel void @prefix(ptr addrspace(1) noundef align 4 %in, ptr addrspace(1) noundef align 4 %inclusive, ptr addrspace(1) noundef align 4 %exclusive, ptr addrspace(1) noundef align 4 %total) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %in.addr = alloca ptr addrspace(1), align 8
  %inclusive.addr = alloca ptr addrspace(1), align 8
  %exclusive.addr = alloca ptr addrspace(1), align 8
  %total.addr = alloca ptr addrspace(1), align 8
  store ptr addrspace(1) %in, ptr %in.addr, align 8
  store ptr addrspace(1) %inclusive, ptr %inclusive.addr, align 8
  store ptr addrspace(1) %exclusive, ptr %exclusive.addr, align 8
  store ptr addrspace(1) %total, ptr %total.addr, align 8
  %0 = load ptr addrspace(1), ptr %in.addr, align 8
  %1 = load ptr addrspace(1), ptr %inclusive.addr, align 8
  %2 = load ptr addrspace(1), ptr %exclusive.addr, align 8
  %3 = load ptr addrspace(1), ptr %total.addr, align 8
  call spir_func void @__clang_ocl_kern_imp_prefix(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, ptr addrspace(1) noundef align 4 %2, ptr addrspace(1) noundef align 4 %3) #3
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_func void @__clang_ocl_kern_imp_prefix(ptr addrspace(1) noundef align 4 %in, ptr addrspace(1) noundef align 4 %inclusive, ptr addrspace(1) noundef align 4 %exclusive, ptr addrspace(1) noundef align 4 %total) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %in.addr = alloca ptr addrspace(1), align 8
  %inclusive.addr = alloca ptr addrspace(1), align 8
  %exclusive.addr = alloca ptr addrspace(1), align 8
  %total.addr = alloca ptr addrspace(1), align 8
  %id = alloca i32, align 4
  store ptr addrspace(1) %in, ptr %in.addr, align 8
  store ptr addrspace(1) %inclusive, ptr %inclusive.addr, align 8
  store ptr addrspace(1) %exclusive, ptr %exclusive.addr, align 8
  store ptr addrspace(1) %total, ptr %total.addr, align 8
  %call = call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %conv = trunc i64 %call to i32
  store i32 %conv, ptr %id, align 4
  %0 = load ptr addrspace(1), ptr %in.addr, align 8
  %1 = load i32, ptr %id, align 4
  %idxprom = zext i32 %1 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %0, i64 %idxprom
  %2 = load i32, ptr addrspace(1) %arrayidx, align 4
  %call1 = call spir_func i32 @_Z28sub_group_scan_inclusive_addi(i32 noundef %2) #5
  %3 = load ptr addrspace(1), ptr %inclusive.addr, align 8
  %4 = load i32, ptr %id, align 4
  %idxprom2 = zext i32 %4 to i64
  %arrayidx3 = getelementptr inbounds nuw i32, ptr addrspace(1) %3, i64 %idxprom2
  store i32 %call1, ptr addrspace(1) %arrayidx3, align 4
  %5 = load ptr addrspace(1), ptr %in.addr, align 8
  %6 = load i32, ptr %id, align 4
  %idxprom4 = zext i32 %6 to i64
  %arrayidx5 = getelementptr inbounds nuw i32, ptr addrspace(1) %5, i64 %idxprom4
  %7 = load i32, ptr addrspace(1) %arrayidx5, align 4
  %call6 = call spir_func i32 @_Z28sub_group_scan_exclusive_maxi(i32 noundef %7) #5
  %8 = load ptr addrspace(1), ptr %exclusive.addr, align 8
  %9 = load i32, ptr %id, align 4
  %idxprom7 = zext i32 %9 to i64
  %arrayidx8 = getelementptr inbounds nuw i32, ptr addrspace(1) %8, i64 %idxprom7
  store i32 %call6, ptr addrspace(1) %arrayidx8, align 4
  %10 = load ptr addrspace(1), ptr %in.addr, align 8
  %11 = load i32, ptr %id, align 4
  %idxprom9 = zext i32 %11 to i64
  %arrayidx10 = getelementptr inbounds nuw i32, ptr addrspace(1) %10, i64 %idxprom9
  %12 = load i32, ptr addrspace(1) %arrayidx10, align 4
  %call11 = call spir_func i32 @_Z20sub_group_reduce_addi(i32 noundef %12) #5
  %13 = load ptr addrspace(1), ptr %total.addr, align 8
  %14 = load i32, ptr %id, align 4
  %idxprom12 = zext i32 %14 to i64
  %arrayidx13 = getelementptr inbounds nuw i32, ptr addrspace(1) %13, i64 %idxprom12
  store i32 %call11, ptr addrspace(1) %arrayidx13, align 4
  ret void
}

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) #1

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z28sub_group_scan_inclusive_addi(i32 noundef) #2

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z28sub_group_scan_exclusive_maxi(i32 noundef) #2

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z20sub_group_reduce_addi(i32 noundef) #2

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #1 = { convergent nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #3 = { convergent nounwind "uniform-work-group-size"="false" }
attributes #4 = { convergent nounwind willreturn memory(none) }
attributes #5 = { convergent nounwind }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 2, i32 0}
!3 = !{!"clang version 22.1.8"}
!4 = !{i32 1, i32 1, i32 1, i32 1}
!5 = !{!"none", !"none", !"none", !"none"}
!6 = !{!"int*", !"int*", !"int*", !"int*"}
!7 = !{!"const", !"", !"", !""}
