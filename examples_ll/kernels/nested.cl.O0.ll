; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O0 nested.cl -o nested.cl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer %outer=i32[16]:3,2,2,1,1,0,0,0,0,3,2,3,2,2,3,2
; CONVCHECK: --buffer %inner=i32[16]:2,2,2,3,1,3,2,0,1,3,2,0,3,2,3,0
; CONVCHECK: --buffer %out=i32[16]
; CONVCHECK: --show %out
; CHECK: %out = i32[16]: 617, 515, 515, 510, 505, 0, 0, 0, 0, 1032, 720, 1000, 726, 720, 1032, 700

source_filename = "nested.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_kernel void @nested(ptr addrspace(1) noundef align 4 %outer, ptr addrspace(1) noundef align 4 %inner, ptr addrspace(1) noundef align 4 %out) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %outer.addr = alloca ptr addrspace(1), align 8
  %inner.addr = alloca ptr addrspace(1), align 8
  %out.addr = alloca ptr addrspace(1), align 8
  store ptr addrspace(1) %outer, ptr %outer.addr, align 8
  store ptr addrspace(1) %inner, ptr %inner.addr, align 8
  store ptr addrspace(1) %out, ptr %out.addr, align 8
  %0 = load ptr addrspace(1), ptr %outer.addr, align 8
  %1 = load ptr addrspace(1), ptr %inner.addr, align 8
  %2 = load ptr addrspace(1), ptr %out.addr, align 8
  call spir_func void @__clang_ocl_kern_imp_nested(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, ptr addrspace(1) noundef align 4 %2) #3
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define spir_func void @__clang_ocl_kern_imp_nested(ptr addrspace(1) noundef align 4 %outer, ptr addrspace(1) noundef align 4 %inner, ptr addrspace(1) noundef align 4 %out) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %outer.addr = alloca ptr addrspace(1), align 8
  %inner.addr = alloca ptr addrspace(1), align 8
  %out.addr = alloca ptr addrspace(1), align 8
  %id = alloca i32, align 4
  %votes = alloca i32, align 4
  %i = alloca i32, align 4
  %j = alloca i32, align 4
  store ptr addrspace(1) %outer, ptr %outer.addr, align 8
  store ptr addrspace(1) %inner, ptr %inner.addr, align 8
  store ptr addrspace(1) %out, ptr %out.addr, align 8
  %call = call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %conv = trunc i64 %call to i32
  store i32 %conv, ptr %id, align 4
  store i32 0, ptr %votes, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc15, %entry
  %0 = load i32, ptr %i, align 4
  %1 = load ptr addrspace(1), ptr %outer.addr, align 8
  %2 = load i32, ptr %id, align 4
  %idxprom = zext i32 %2 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %1, i64 %idxprom
  %3 = load i32, ptr addrspace(1) %arrayidx, align 4
  %cmp = icmp slt i32 %0, %3
  br i1 %cmp, label %for.body, label %for.end17

for.body:                                         ; preds = %for.cond
  store i32 0, ptr %j, align 4
  br label %for.cond2

for.cond2:                                        ; preds = %for.inc, %for.body
  %4 = load i32, ptr %j, align 4
  %5 = load ptr addrspace(1), ptr %inner.addr, align 8
  %6 = load i32, ptr %id, align 4
  %idxprom3 = zext i32 %6 to i64
  %arrayidx4 = getelementptr inbounds nuw i32, ptr addrspace(1) %5, i64 %idxprom3
  %7 = load i32, ptr addrspace(1) %arrayidx4, align 4
  %cmp5 = icmp slt i32 %4, %7
  br i1 %cmp5, label %for.body7, label %for.end

for.body7:                                        ; preds = %for.cond2
  %call8 = call spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef 1) #5
  %call9 = call spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef %call8) #4
  %8 = load i32, ptr %votes, align 4
  %add = add i32 %8, %call9
  store i32 %add, ptr %votes, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body7
  %9 = load i32, ptr %j, align 4
  %inc = add nsw i32 %9, 1
  store i32 %inc, ptr %j, align 4
  br label %for.cond2

for.end:                                          ; preds = %for.cond2
  %10 = load i32, ptr %i, align 4
  %rem = srem i32 %10, 2
  %cmp10 = icmp eq i32 %rem, 0
  %conv11 = zext i1 %cmp10 to i32
  %call12 = call spir_func <4 x i32> @_Z16sub_group_balloti(i32 noundef %conv11) #5
  %call13 = call spir_func i32 @_Z26sub_group_ballot_bit_countDv4_j(<4 x i32> noundef %call12) #4
  %mul = mul i32 100, %call13
  %11 = load i32, ptr %votes, align 4
  %add14 = add i32 %11, %mul
  store i32 %add14, ptr %votes, align 4
  br label %for.inc15

for.inc15:                                        ; preds = %for.end
  %12 = load i32, ptr %i, align 4
  %inc16 = add nsw i32 %12, 1
  store i32 %inc16, ptr %i, align 4
  br label %for.cond

for.end17:                                        ; preds = %for.cond
  %13 = load i32, ptr %votes, align 4
  %14 = load ptr addrspace(1), ptr %out.addr, align 8
  %15 = load i32, ptr %id, align 4
  %idxprom18 = zext i32 %15 to i64
  %arrayidx19 = getelementptr inbounds nuw i32, ptr addrspace(1) %14, i64 %idxprom18
  store i32 %13, ptr addrspace(1) %arrayidx19, align 4
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
!6 = !{!"int*", !"int*", !"int*"}
!7 = !{!"const", !"const", !""}
