; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O0 compaction.cl -o compaction.cl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer %in=i32[16]:35,13,1,-24,0,-46,-43,0,0,31,14,0,0,10,47,0
; CONVCHECK: --buffer %out=i32[16]
; CONVCHECK: --buffer %size=i32[1]
; CONVCHECK: --show %out
; CONVCHECK: --show %size
; CHECK: %size = i32[1]: 10

source_filename = "compaction.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_kernel void @compaction(ptr addrspace(1) noundef align 4 %in, ptr addrspace(1) noundef align 4 %out, ptr addrspace(1) noundef align 4 %size) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %in.addr = alloca ptr addrspace(1), align 8
  %out.addr = alloca ptr addrspace(1), align 8
  %size.addr = alloca ptr addrspace(1), align 8
  store ptr addrspace(1) %in, ptr %in.addr, align 8
  store ptr addrspace(1) %out, ptr %out.addr, align 8
  store ptr addrspace(1) %size, ptr %size.addr, align 8
  %0 = load ptr addrspace(1), ptr %in.addr, align 8
  %1 = load ptr addrspace(1), ptr %out.addr, align 8
  %2 = load ptr addrspace(1), ptr %size.addr, align 8
  call spir_func void @__clang_ocl_kern_imp_compaction(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, ptr addrspace(1) noundef align 4 %2) #3
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_func void @__clang_ocl_kern_imp_compaction(ptr addrspace(1) noundef align 4 %in, ptr addrspace(1) noundef align 4 %out, ptr addrspace(1) noundef align 4 %size) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %in.addr = alloca ptr addrspace(1), align 8
  %out.addr = alloca ptr addrspace(1), align 8
  %size.addr = alloca ptr addrspace(1), align 8
  %value = alloca i32, align 4
  %keep = alloca <4 x i32>, align 16
  %before = alloca i32, align 4
  %first = alloca i32, align 4
  store ptr addrspace(1) %in, ptr %in.addr, align 8
  store ptr addrspace(1) %out, ptr %out.addr, align 8
  store ptr addrspace(1) %size, ptr %size.addr, align 8
  %0 = load ptr addrspace(1), ptr %in.addr, align 8
  %call = call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %0, i64 %call
  %1 = load i32, ptr addrspace(1) %arrayidx, align 4
  store i32 %1, ptr %value, align 4
  %2 = load i32, ptr %value, align 4
  %cmp = icmp ne i32 %2, 0
  %conv = zext i1 %cmp to i32
  %call1 = call spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef %conv) #5
  store <4 x i32> %call1, ptr %keep, align 16
  %3 = load <4 x i32>, ptr %keep, align 16
  %call2 = call spir_func i32 @_Z31sub_group_ballot_exclusive_scanDv4_j(<4 x i32> noundef %3) #5
  store i32 %call2, ptr %before, align 4
  store i32 0, ptr %first, align 4
  %call3 = call spir_func i32 @_Z22get_sub_group_local_idv() #5
  %cmp4 = icmp eq i32 %call3, 0
  br i1 %cmp4, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %4 = load ptr addrspace(1), ptr %size.addr, align 8
  %5 = load <4 x i32>, ptr %keep, align 16
  %call6 = call spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef %5) #4
  %call7 = call spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef %4, i32 noundef %call6) #5
  store i32 %call7, ptr %first, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %6 = load i32, ptr %first, align 4
  %call8 = call spir_func i32 @_Z19sub_group_broadcastij(i32 noundef %6, i32 noundef 0) #5
  store i32 %call8, ptr %first, align 4
  %7 = load i32, ptr %value, align 4
  %cmp9 = icmp ne i32 %7, 0
  br i1 %cmp9, label %if.then11, label %if.end13

if.then11:                                        ; preds = %if.end
  %8 = load i32, ptr %value, align 4
  %9 = load ptr addrspace(1), ptr %out.addr, align 8
  %10 = load i32, ptr %first, align 4
  %11 = load i32, ptr %before, align 4
  %add = add i32 %10, %11
  %idxprom = zext i32 %add to i64
  %arrayidx12 = getelementptr inbounds nuw i32, ptr addrspace(1) %9, i64 %idxprom
  store i32 %8, ptr addrspace(1) %arrayidx12, align 4
  br label %if.end13

if.end13:                                         ; preds = %if.then11, %if.end
  ret void
}

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) #1

; Function Attrs: convergent nounwind
declare spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef) #2

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z31sub_group_ballot_exclusive_scanDv4_j(<4 x i32> noundef) #2

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z22get_sub_group_local_idv() #2

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef, i32 noundef) #2

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef) #1

; Function Attrs: convergent nounwind
declare spir_func i32 @_Z19sub_group_broadcastij(i32 noundef, i32 noundef) #2

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
!6 = !{!"int*", !"int*", !"int*"}
!7 = !{!"const", !"", !""}
