; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O0 derivatives.cl -o derivatives.cl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer %in=f32[16]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25
; CONVCHECK: --buffer %dx=f32[16]
; CONVCHECK: --buffer %dy=f32[16]
; CONVCHECK: --show %dx
; CONVCHECK: --show %dy
; CHECK: %dx = f32[16]: -6.75, -6.75, -7.75, -7.75, -8.5, -8.5, -1.75, -1.75, 20.5, 20.5, 8.25, 8.25, 3.25, 3.25, -7.75, -7.75
; CHECK: %dy = f32[16]: -10.75, -11.75, -10.75, -11.75, -7.5, -0.75, -7.5, -0.75, 15.25, 3.0, 15.25, 3.0, 15.0, 4.0, 15.0, 4.0

source_filename = "derivatives.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_kernel void @derivatives(ptr addrspace(1) noundef align 4 %in, ptr addrspace(1) noundef align 4 %dx, ptr addrspace(1) noundef align 4 %dy) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %in.addr = alloca ptr addrspace(1), align 8
  %dx.addr = alloca ptr addrspace(1), align 8
  %dy.addr = alloca ptr addrspace(1), align 8
  store ptr addrspace(1) %in, ptr %in.addr, align 8
  store ptr addrspace(1) %dx, ptr %dx.addr, align 8
  store ptr addrspace(1) %dy, ptr %dy.addr, align 8
  %0 = load ptr addrspace(1), ptr %in.addr, align 8
  %1 = load ptr addrspace(1), ptr %dx.addr, align 8
  %2 = load ptr addrspace(1), ptr %dy.addr, align 8
  call spir_func void @__clang_ocl_kern_imp_derivatives(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, ptr addrspace(1) noundef align 4 %2) #3
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_func void @__clang_ocl_kern_imp_derivatives(ptr addrspace(1) noundef align 4 %in, ptr addrspace(1) noundef align 4 %dx, ptr addrspace(1) noundef align 4 %dy) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %in.addr = alloca ptr addrspace(1), align 8
  %dx.addr = alloca ptr addrspace(1), align 8
  %dy.addr = alloca ptr addrspace(1), align 8
  %id = alloca i32, align 4
  %lane = alloca i32, align 4
  %mine = alloca float, align 4
  %across = alloca float, align 4
  %down = alloca float, align 4
  store ptr addrspace(1) %in, ptr %in.addr, align 8
  store ptr addrspace(1) %dx, ptr %dx.addr, align 8
  store ptr addrspace(1) %dy, ptr %dy.addr, align 8
  %call = call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %conv = trunc i64 %call to i32
  store i32 %conv, ptr %id, align 4
  %call1 = call spir_func i32 @_Z22get_sub_group_local_idv() #5
  store i32 %call1, ptr %lane, align 4
  %0 = load ptr addrspace(1), ptr %in.addr, align 8
  %1 = load i32, ptr %id, align 4
  %idxprom = zext i32 %1 to i64
  %arrayidx = getelementptr inbounds nuw float, ptr addrspace(1) %0, i64 %idxprom
  %2 = load float, ptr addrspace(1) %arrayidx, align 4
  store float %2, ptr %mine, align 4
  %3 = load float, ptr %mine, align 4
  %call2 = call spir_func float @_Z21sub_group_shuffle_xorfj(float noundef %3, i32 noundef 1) #5
  store float %call2, ptr %across, align 4
  %4 = load float, ptr %mine, align 4
  %call3 = call spir_func float @_Z21sub_group_shuffle_xorfj(float noundef %4, i32 noundef 2) #5
  store float %call3, ptr %down, align 4
  %5 = load i32, ptr %lane, align 4
  %and = and i32 %5, 1
  %tobool = icmp ne i32 %and, 0
  br i1 %tobool, label %cond.true, label %cond.false

cond.true:                                        ; preds = %entry
  %6 = load float, ptr %mine, align 4
  %7 = load float, ptr %across, align 4
  %sub = fsub float %6, %7
  br label %cond.end

cond.false:                                       ; preds = %entry
  %8 = load float, ptr %across, align 4
  %9 = load float, ptr %mine, align 4
  %sub4 = fsub float %8, %9
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi float [ %sub, %cond.true ], [ %sub4, %cond.false ]
  %10 = load ptr addrspace(1), ptr %dx.addr, align 8
  %11 = load i32, ptr %id, align 4
  %idxprom5 = zext i32 %11 to i64
  %arrayidx6 = getelementptr inbounds nuw float, ptr addrspace(1) %10, i64 %idxprom5
  store float %cond, ptr addrspace(1) %arrayidx6, align 4
  %12 = load i32, ptr %lane, align 4
  %and7 = and i32 %12, 2
  %tobool8 = icmp ne i32 %and7, 0
  br i1 %tobool8, label %cond.true9, label %cond.false11

cond.true9:                                       ; preds = %cond.end
  %13 = load float, ptr %mine, align 4
  %14 = load float, ptr %down, align 4
  %sub10 = fsub float %13, %14
  br label %cond.end13

cond.false11:                                     ; preds = %cond.end
  %15 = load float, ptr %down, align 4
  %16 = load float, ptr %mine, align 4
  %sub12 = fsub float %15, %16
  br label %cond.end13

cond.end13:                                       ; preds = %cond.false11, %cond.true9
  %cond14 = phi float [ %sub10, %cond.true9 ], [ %sub12, %cond.false11 ]
  %17 = load ptr addrspace(1), ptr %dy.addr, align 8
  %18 = load i32, ptr %id, align 4
  %idxprom15 = zext i32 %18 to i64
  %arrayidx16 = getelementptr inbounds nuw float, ptr addrspace(1) %17, i64 %idxprom15
  store float %cond14, ptr addrspace(1) %arrayidx16, align 4
  ret void
}

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) #1

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z22get_sub_group_local_idv() #2

; Function Attrs: convergent nounwind
declare spir_func float @_Z21sub_group_shuffle_xorfj(float noundef, i32 noundef) #2

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
!4 = !{i32 1, i32 1, i32 1}
!5 = !{!"none", !"none", !"none"}
!6 = !{!"float*", !"float*", !"float*"}
!7 = !{!"const", !"", !""}
