; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O0 raymarch.cl -o raymarch.cl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer %distances=f32[256]:3.75,3.0,2.0,1.0,1.0,0.0,0.25,0.0,0.5,3.25,2.5,3.5,2.0,2.25,3.75,2.75,3.0,2.5,2.0,3.5,1.0,3.25,2.5,0.0,1.5,3.25,2.0,0.0,3.0,2.75,3.25,0.5,0.75,3.75,0.0,2.0,0.25,1.0,1.75,1.5,1.5,0.0,0.0,0.25,0.0,2.5,2.0,2.5,1.5,2.75,3.0,1.5,1.75,3.75,3.0,3.75,1.5,2.5,3.75,2.5,3.25,2.75,2.75,1.5,4.0,1.0,2.25,2.75,3.25,2.0,1.5,1.0,1.5,1.75,2.75,3.5,0.25,3.5,2.0,1.25,3.0,2.75,1.0,1.25,2.75,2.25,2.0,1.25,3.0,1.5,1.25,3.5,1.0,0.75,2.75,2.25,0.5,0.75,1.5,3.25,1.5,3.0,1.25,0.75,3.0,3.5,0.25,0.0,2.5,1.25,2.25,0.5,3.75,2.25,3.5,3.0,2.75,0.75,3.0,0.0,2.25,1.5,3.75,0.75,3.75,0.25,2.25,2.25,4.0,1.5,3.5,2.5,3.5,0.75,3.0,3.75,0.0,1.25,2.5,0.25,2.0,2.5,3.0,3.5,2.0,2.25,1.75,3.75,0.75,1.75,0.0,1.5,3.75,2.25,1.25,3.75,2.25,3.75,0.0,1.75,3.75,3.5,1.5,1.75,1.5,2.0,0.75,3.0,0.25,1.5,1.0,2.75,2.75,2.75,3.5,3.5,1.0,0.75,0.5,2.75,3.75,3.5,2.5,3.75,3.25,0.0,0.25,3.25,0.25,3.75,3.25,3.75,1.75,1.0,2.0,3.75,1.25,3.5,1.5,3.25,0.75,1.75,1.25,0.75,3.5,3.0,0.5,3.5,4.25,1.5,1.5,2.0,2.5,1.75,0.5,3.5,2.75,0.0,3.25,2.75,0.5,2.25,2.0,0.0,4.0,3.25,1.0,0.0,0.25,3.0,0.5,2.0,3.5,3.5,1.0,0.25,1.75,3.25,2.25,0.25,3.0,1.75,0.75,1.5,3.25,3.75,0.5,2.0,3.0,1.0,1.0,0.75,0.75,3.5,0.75,0.75
; CONVCHECK: --buffer %depth=f32[16]
; CONVCHECK: --buffer %together=i32[16]
; CONVCHECK: --show %depth
; CONVCHECK: --show %together
; CHECK: %depth = f32[16]: 5.75, 16.25, 9.5, 16.75, 16.25, 17.5, 11.5, 18.0, 17.0, 16.75, 17.75, 9.25, 19.0, 16.0, 17.0, 16.75
; CHECK: %together = i32[16]: 8, 6, 7, 6, 6, 6, 1, 6, 4, 6, 6, 8, 3, 8, 1, 3

source_filename = "raymarch.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_kernel void @raymarch(ptr addrspace(1) noundef align 4 %distances, ptr addrspace(1) noundef align 4 %depth, ptr addrspace(1) noundef align 4 %together) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %distances.addr = alloca ptr addrspace(1), align 8
  %depth.addr = alloca ptr addrspace(1), align 8
  %together.addr = alloca ptr addrspace(1), align 8
  store ptr addrspace(1) %distances, ptr %distances.addr, align 8
  store ptr addrspace(1) %depth, ptr %depth.addr, align 8
  store ptr addrspace(1) %together, ptr %together.addr, align 8
  %0 = load ptr addrspace(1), ptr %distances.addr, align 8
  %1 = load ptr addrspace(1), ptr %depth.addr, align 8
  %2 = load ptr addrspace(1), ptr %together.addr, align 8
  call spir_func void @__clang_ocl_kern_imp_raymarch(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, ptr addrspace(1) noundef align 4 %2) #3
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_func void @__clang_ocl_kern_imp_raymarch(ptr addrspace(1) noundef align 4 %distances, ptr addrspace(1) noundef align 4 %depth, ptr addrspace(1) noundef align 4 %together) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %distances.addr = alloca ptr addrspace(1), align 8
  %depth.addr = alloca ptr addrspace(1), align 8
  %together.addr = alloca ptr addrspace(1), align 8
  %ray = alloca i32, align 4
  %t = alloca float, align 4
  %last = alloca i32, align 4
  %free = alloca float, align 4
  store ptr addrspace(1) %distances, ptr %distances.addr, align 8
  store ptr addrspace(1) %depth, ptr %depth.addr, align 8
  store ptr addrspace(1) %together, ptr %together.addr, align 8
  %call = call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %conv = trunc i64 %call to i32
  store i32 %conv, ptr %ray, align 4
  store float 0.000000e+00, ptr %t, align 4
  store i32 0, ptr %last, align 4
  br label %while.cond

while.cond:                                       ; preds = %if.end, %entry
  %0 = load float, ptr %t, align 4
  %cmp = fcmp olt float %0, 1.600000e+01
  br i1 %cmp, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %1 = load ptr addrspace(1), ptr %distances.addr, align 8
  %2 = load i32, ptr %ray, align 4
  %mul = mul i32 %2, 16
  %3 = load float, ptr %t, align 4
  %conv2 = fptosi float %3 to i32
  %add = add i32 %mul, %conv2
  %idxprom = zext i32 %add to i64
  %arrayidx = getelementptr inbounds nuw float, ptr addrspace(1) %1, i64 %idxprom
  %4 = load float, ptr addrspace(1) %arrayidx, align 4
  store float %4, ptr %free, align 4
  %5 = load float, ptr %free, align 4
  %cmp3 = fcmp olt float %5, 2.500000e-01
  br i1 %cmp3, label %if.then, label %if.end

if.then:                                          ; preds = %while.body
  br label %while.end

if.end:                                           ; preds = %while.body
  %6 = load float, ptr %free, align 4
  %7 = load float, ptr %t, align 4
  %add5 = fadd float %7, %6
  store float %add5, ptr %t, align 4
  %call6 = call spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef 1) #5
  %call7 = call spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef %call6) #4
  store i32 %call7, ptr %last, align 4
  br label %while.cond

while.end:                                        ; preds = %if.then, %while.cond
  %8 = load float, ptr %t, align 4
  %9 = load ptr addrspace(1), ptr %depth.addr, align 8
  %10 = load i32, ptr %ray, align 4
  %idxprom8 = zext i32 %10 to i64
  %arrayidx9 = getelementptr inbounds nuw float, ptr addrspace(1) %9, i64 %idxprom8
  store float %8, ptr addrspace(1) %arrayidx9, align 4
  %11 = load i32, ptr %last, align 4
  %12 = load ptr addrspace(1), ptr %together.addr, align 8
  %13 = load i32, ptr %ray, align 4
  %idxprom10 = zext i32 %13 to i64
  %arrayidx11 = getelementptr inbounds nuw i32, ptr addrspace(1) %12, i64 %idxprom10
  store i32 %11, ptr addrspace(1) %arrayidx11, align 4
  ret void
}

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) #1

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef) #1

; Function Attrs: convergent nounwind
declare spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef) #2

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
!6 = !{!"float*", !"float*", !"int*"}
!7 = !{!"const", !"", !""}
