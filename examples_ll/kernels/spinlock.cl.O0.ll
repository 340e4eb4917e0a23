; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O0 spinlock.cl -o spinlock.cl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 4
; CONVCHECK: --buffer %lock=i32[1]
; CONVCHECK: --buffer %sum=i32[1]:35
; CONVCHECK: --show %lock
; CONVCHECK: --show %sum
; CHECK: %lock = i32[1]: 0
; CHECK: %sum = i32[1]: 71

source_filename = "spinlock.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_kernel void @spinlock(ptr addrspace(1) noundef align 4 %lock, ptr addrspace(1) noundef align 4 %sum) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !7 !kernel_arg_type_qual !8 {
entry:
  %lock.addr = alloca ptr addrspace(1), align 8
  %sum.addr = alloca ptr addrspace(1), align 8
  store ptr addrspace(1) %lock, ptr %lock.addr, align 8
  store ptr addrspace(1) %sum, ptr %sum.addr, align 8
  %0 = load ptr addrspace(1), ptr %lock.addr, align 8
  %1 = load ptr addrspace(1), ptr %sum.addr, align 8
  call spir_func void @__clang_ocl_kern_imp_spinlock(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1) #3
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_func void @__clang_ocl_kern_imp_spinlock(ptr addrspace(1) noundef align 4 %lock, ptr addrspace(1) noundef align 4 %sum) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !7 !kernel_arg_type_qual !8 {
entry:
  %lock.addr = alloca ptr addrspace(1), align 8
  %sum.addr = alloca ptr addrspace(1), align 8
  %mine = alloca i32, align 4
  %done = alloca i8, align 1
  %expected = alloca i32, align 4
  store ptr addrspace(1) %lock, ptr %lock.addr, align 8
  store ptr addrspace(1) %sum, ptr %sum.addr, align 8
  %call = call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %add = add i64 %call, 1
  %conv = trunc i64 %add to i32
  store i32 %conv, ptr %mine, align 4
  store i8 0, ptr %done, align 1
  br label %while.cond

while.cond:                                       ; preds = %if.end, %entry
  %0 = load i8, ptr %done, align 1
  %loadedv = trunc i8 %0 to i1
  %lnot = xor i1 %loadedv, true
  br i1 %lnot, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  store i32 0, ptr %expected, align 4
  %1 = load ptr addrspace(1), ptr %lock.addr, align 8
  %2 = addrspacecast ptr addrspace(1) %1 to ptr addrspace(4)
  %expected.ascast = addrspacecast ptr %expected to ptr addrspace(4)
  %call1 = call spir_func zeroext i1 @_Z39atomic_compare_exchange_strong_explicitPU3AS4VU7_AtomiciPU3AS4ii12memory_orderS4_12memory_scope(ptr addrspace(4) noundef %2, ptr addrspace(4) noundef %expected.ascast, i32 noundef 1, i32 noundef 2, i32 noundef 0, i32 noundef 2) #5
  br i1 %call1, label %if.then, label %if.end

if.then:                                          ; preds = %while.body
  %3 = load i32, ptr %mine, align 4
  %4 = load ptr addrspace(1), ptr %sum.addr, align 8
  %5 = load i32, ptr addrspace(1) %4, align 4
  %add2 = add nsw i32 %5, %3
  store i32 %add2, ptr addrspace(1) %4, align 4
  %6 = load ptr addrspace(1), ptr %lock.addr, align 8
  %7 = addrspacecast ptr addrspace(1) %6 to ptr addrspace(4)
  call spir_func void @_Z21atomic_store_explicitPU3AS4VU7_Atomicii12memory_order12memory_scope(ptr addrspace(4) noundef %7, i32 noundef 0, i32 noundef 3, i32 noundef 2) #5
  store i8 1, ptr %done, align 1
  br label %if.end

if.end:                                           ; preds = %if.then, %while.body
  br label %while.cond

while.end:                                        ; preds = %while.cond
  ret void
}

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) #1

; Function Attrs: convergent nounwind
declare spir_func zeroext i1 @_Z39atomic_compare_exchange_strong_explicitPU3AS4VU7_AtomiciPU3AS4ii12memory_orderS4_12memory_scope(ptr addrspace(4) noundef, ptr addrspace(4) noundef, i32 noundef, i32 noundef, i32 noundef, i32 noundef) #2

; Function Attrs: convergent nounwind
declare spir_func void @_Z21atomic_store_explicitPU3AS4VU7_Atomicii12memory_order12memory_scope(ptr addrspace(4) noundef, i32 noundef, i32 noundef, i32 noundef) #2

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
!4 = !{i32 1, i32 1}
!5 = !{!"none", !"none"}
!6 = !{!"atomic_int*", !"int*"}
!7 = !{!"_Atomic(int)*", !"int*"}
!8 = !{!"", !""}
