; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O0 reduction.cl -o reduction.cl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8
; CONVCHECK: --buffer %in=i32[16]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22
; CONVCHECK: --buffer %out=i32[2]
; CONVCHECK: --buffer %tile=i32[8]
; CONVCHECK: --show %out
; CHECK: %out = i32[2]: -133, 132

source_filename = "reduction.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_kernel void @reduction(ptr addrspace(1) noundef align 4 %in, ptr addrspace(1) noundef align 4 %out, ptr addrspace(3) noundef align 4 %tile) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %in.addr = alloca ptr addrspace(1), align 8
  %out.addr = alloca ptr addrspace(1), align 8
  %tile.addr = alloca ptr addrspace(3), align 8
  store ptr addrspace(1) %in, ptr %in.addr, align 8
  store ptr addrspace(1) %out, ptr %out.addr, align 8
  store ptr addrspace(3) %tile, ptr %tile.addr, align 8
  %0 = load ptr addrspace(1), ptr %in.addr, align 8
  %1 = load ptr addrspace(1), ptr %out.addr, align 8
  %2 = load ptr addrspace(3), ptr %tile.addr, align 8
  call spir_func void @__clang_ocl_kern_imp_reduction(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, ptr addrspace(3) noundef align 4 %2) #3
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_func void @__clang_ocl_kern_imp_reduction(ptr addrspace(1) noundef align 4 %in, ptr addrspace(1) noundef align 4 %out, ptr addrspace(3) noundef align 4 %tile) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %in.addr = alloca ptr addrspace(1), align 8
  %out.addr = alloca ptr addrspace(1), align 8
  %tile.addr = alloca ptr addrspace(3), align 8
  %me = alloca i32, align 4
  %stride = alloca i32, align 4
  store ptr addrspace(1) %in, ptr %in.addr, align 8
  store ptr addrspace(1) %out, ptr %out.addr, align 8
  store ptr addrspace(3) %tile, ptr %tile.addr, align 8
  %call = call spir_func i64 @_Z12get_local_idj(i32 noundef 0) #4
  %conv = trunc i64 %call to i32
  store i32 %conv, ptr %me, align 4
  %0 = load ptr addrspace(1), ptr %in.addr, align 8
  %call1 = call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %0, i64 %call1
  %1 = load i32, ptr addrspace(1) %arrayidx, align 4
  %2 = load ptr addrspace(3), ptr %tile.addr, align 8
  %3 = load i32, ptr %me, align 4
  %idxprom = zext i32 %3 to i64
  %arrayidx2 = getelementptr inbounds nuw i32, ptr addrspace(3) %2, i64 %idxprom
  store i32 %1, ptr addrspace(3) %arrayidx2, align 4
  call spir_func void @_Z7barrierj(i32 noundef 1) #5
  %call3 = call spir_func i64 @_Z14get_local_sizej(i32 noundef 0) #4
  %div = udiv i64 %call3, 2
  %conv4 = trunc i64 %div to i32
  store i32 %conv4, ptr %stride, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %4 = load i32, ptr %stride, align 4
  %cmp = icmp ugt i32 %4, 0
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %5 = load i32, ptr %me, align 4
  %6 = load i32, ptr %stride, align 4
  %cmp6 = icmp ult i32 %5, %6
  br i1 %cmp6, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %7 = load ptr addrspace(3), ptr %tile.addr, align 8
  %8 = load i32, ptr %me, align 4
  %9 = load i32, ptr %stride, align 4
  %add = add i32 %8, %9
  %idxprom8 = zext i32 %add to i64
  %arrayidx9 = getelementptr inbounds nuw i32, ptr addrspace(3) %7, i64 %idxprom8
  %10 = load i32, ptr addrspace(3) %arrayidx9, align 4
  %11 = load ptr addrspace(3), ptr %tile.addr, align 8
  %12 = load i32, ptr %me, align 4
  %idxprom10 = zext i32 %12 to i64
  %arrayidx11 = getelementptr inbounds nuw i32, ptr addrspace(3) %11, i64 %idxprom10
  %13 = load i32, ptr addrspace(3) %arrayidx11, align 4
  %add12 = add nsw i32 %13, %10
  store i32 %add12, ptr addrspace(3) %arrayidx11, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  call spir_func void @_Z7barrierj(i32 noundef 1) #5
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %14 = load i32, ptr %stride, align 4
  %shr = lshr i32 %14, 1
  store i32 %shr, ptr %stride, align 4
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %15 = load i32, ptr %me, align 4
  %cmp13 = icmp eq i32 %15, 0
  br i1 %cmp13, label %if.then15, label %if.end19

if.then15:                                        ; preds = %for.end
  %16 = load ptr addrspace(3), ptr %tile.addr, align 8
  %arrayidx16 = getelementptr inbounds i32, ptr addrspace(3) %16, i64 0
  %17 = load i32, ptr addrspace(3) %arrayidx16, align 4
  %18 = load ptr addrspace(1), ptr %out.addr, align 8
  %call17 = call spir_func i64 @_Z12get_group_idj(i32 noundef 0) #4
  %arrayidx18 = getelementptr inbounds nuw i32, ptr addrspace(1) %18, i64 %call17
  store i32 %17, ptr addrspace(1) %arrayidx18, align 4
  br label %if.end19

if.end19:                                         ; preds = %if.then15, %for.end
  ret void
}

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_local_idj(i32 noundef) #1

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) #1

; Function Attrs: convergent nounwind
declare spir_func void @_Z7barrierj(i32 noundef) #2

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i64 @_Z14get_local_sizej(i32 noundef) #1

; Function Attrs: convergent nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_group_idj(i32 noundef) #1

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
!4 = !{i32 1, i32 1, i32 3}
!5 = !{!"none", !"none", !"none"}
!6 = !{!"int*", !"int*", !"int*"}
!7 = !{!"const", !"", !""}
