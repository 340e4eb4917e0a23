; clang-22 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O0 scan.cl -o scan.cl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8
; CONVCHECK: --buffer %in=i32[16]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22
; CONVCHECK: --buffer %out=i32[16]
; CONVCHECK: --buffer %tile=i32[8]
; CONVCHECK: --show %out
; CHECK: %out = i32[16]: 35, 48, 49, 25, 5, -41, -84, -133, -33, -2, 12, 53, 53, 63, 110, 132

source_filename = "scan.cl"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

; Function Attrs: convergent noinline norecurse nounwind optnone
define protected amdgpu_kernel void @scan(ptr addrspace(1) noundef align 4 %in, ptr addrspace(1) noundef align 4 %out, ptr addrspace(3) noundef align 4 %tile) #0 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 {
entry:
  %in.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %tile.addr = alloca ptr addrspace(3), align 4, addrspace(5)
  %in.addr.ascast = addrspacecast ptr addrspace(5) %in.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %tile.addr.ascast = addrspacecast ptr addrspace(5) %tile.addr to ptr
  store ptr addrspace(1) %in, ptr %in.addr.ascast, align 8
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store ptr addrspace(3) %tile, ptr %tile.addr.ascast, align 4
  %0 = load ptr addrspace(1), ptr %in.addr.ascast, align 8
  %1 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %2 = load ptr addrspace(3), ptr %tile.addr.ascast, align 4
  call void @__clang_ocl_kern_imp_scan(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, ptr addrspace(3) noundef align 4 %2) #4
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define protected void @__clang_ocl_kern_imp_scan(ptr addrspace(1) noundef align 4 %in, ptr addrspace(1) noundef align 4 %out, ptr addrspace(3) noundef align 4 %tile) #1 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 {
entry:
  %in.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %tile.addr = alloca ptr addrspace(3), align 4, addrspace(5)
  %me = alloca i32, align 4, addrspace(5)
  %size = alloca i32, align 4, addrspace(5)
  %sum = alloca i32, align 4, addrspace(5)
  %distance = alloca i32, align 4, addrspace(5)
  %in.addr.ascast = addrspacecast ptr addrspace(5) %in.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %tile.addr.ascast = addrspacecast ptr addrspace(5) %tile.addr to ptr
  store ptr addrspace(1) %in, ptr %in.addr.ascast, align 8
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store ptr addrspace(3) %tile, ptr %tile.addr.ascast, align 4
  %call = call i64 @_Z12get_local_idj(i32 noundef 0) #5
  %conv = trunc i64 %call to i32
  store i32 %conv, ptr addrspace(5) %me, align 4
  %call1 = call i64 @_Z14get_local_sizej(i32 noundef 0) #5
  %conv2 = trunc i64 %call1 to i32
  store i32 %conv2, ptr addrspace(5) %size, align 4
  %0 = load ptr addrspace(1), ptr %in.addr.ascast, align 8
  %call3 = call i64 @_Z13get_global_idj(i32 noundef 0) #5
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %0, i64 %call3
  %1 = load i32, ptr addrspace(1) %arrayidx, align 4
  store i32 %1, ptr addrspace(5) %sum, align 4
  store i32 1, ptr addrspace(5) %distance, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %2 = load i32, ptr addrspace(5) %distance, align 4
  %3 = load i32, ptr addrspace(5) %size, align 4
  %cmp = icmp ult i32 %2, %3
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %4 = load i32, ptr addrspace(5) %sum, align 4
  %5 = load ptr addrspace(3), ptr %tile.addr.ascast, align 4
  %6 = load i32, ptr addrspace(5) %me, align 4
  %idxprom = zext i32 %6 to i64
  %arrayidx5 = getelementptr inbounds nuw i32, ptr addrspace(3) %5, i64 %idxprom
  store i32 %4, ptr addrspace(3) %arrayidx5, align 4
  call void @_Z7barrierj(i32 noundef 1) #4
  %7 = load i32, ptr addrspace(5) %me, align 4
  %8 = load i32, ptr addrspace(5) %distance, align 4
  %cmp6 = icmp uge i32 %7, %8
  br i1 %cmp6, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %9 = load ptr addrspace(3), ptr %tile.addr.ascast, align 4
  %10 = load i32, ptr addrspace(5) %me, align 4
  %11 = load i32, ptr addrspace(5) %distance, align 4
  %sub = sub i32 %10, %11
  %idxprom8 = zext i32 %sub to i64
  %arrayidx9 = getelementptr inbounds nuw i32, ptr addrspace(3) %9, i64 %idxprom8
  %12 = load i32, ptr addrspace(3) %arrayidx9, align 4
  %13 = load i32, ptr addrspace(5) %sum, align 4
  %add = add nsw i32 %13, %12
  store i32 %add, ptr addrspace(5) %sum, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  call void @_Z7barrierj(i32 noundef 1) #4
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %14 = load i32, ptr addrspace(5) %distance, align 4
  %shl = shl i32 %14, 1
  store i32 %shl, ptr addrspace(5) %distance, align 4
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %15 = load i32, ptr addrspace(5) %sum, align 4
  %16 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %call10 = call i64 @_Z13get_global_idj(i32 noundef 0) #5
  %arrayidx11 = getelementptr inbounds nuw i32, ptr addrspace(1) %16, i64 %call10
  store i32 %15, ptr addrspace(1) %arrayidx11, align 4
  ret void
}

; Function Attrs: convergent nounwind willreturn memory(none)
declare hidden i64 @_Z12get_local_idj(i32 noundef) #2

; Function Attrs: convergent nounwind willreturn memory(none)
declare hidden i64 @_Z14get_local_sizej(i32 noundef) #2

; Function Attrs: convergent nounwind willreturn memory(none)
declare hidden i64 @_Z13get_global_idj(i32 noundef) #2

; Function Attrs: convergent nounwind
declare hidden void @_Z7barrierj(i32 noundef) #3

attributes #0 = { convergent noinline norecurse nounwind optnone "amdgpu-flat-work-group-size"="1,256" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #1 = { convergent noinline norecurse nounwind optnone "amdgpu-flat-work-group-size"="1,256" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { convergent nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #3 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #4 = { convergent nounwind }
attributes #5 = { convergent nounwind willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2, !3}
!opencl.ocl.version = !{!4}
!llvm.ident = !{!5}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{i32 2, i32 0}
!5 = !{!"clang version 22.1.8"}
!6 = !{i32 1, i32 1, i32 3}
!7 = !{!"none", !"none", !"none"}
!8 = !{!"int*", !"int*", !"int*"}
!9 = !{!"const", !"", !""}
