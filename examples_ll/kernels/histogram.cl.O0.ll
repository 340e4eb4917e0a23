; clang-22 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O0 histogram.cl -o histogram.cl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --arg %size=48
; CONVCHECK: --buffer %in=u8[48]:95,130,194,217,207,235,15,163,33,215,217,130,248,189,16,69,184,232,205,78,169,61,125,10,29,240,66,19,182,39,59,4,59,81,222,44,120,122,50,208,78,28,64,166,121,89,170,233
; CONVCHECK: --buffer %counts=i32[8]:2,3,4,3,3,2,2,4
; CONVCHECK: --show %counts
; CHECK: %counts = i32[8]: 10, 11, 12, 8, 6, 8, 7, 9

source_filename = "histogram.cl"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@histogram.bins = internal addrspace(3) global [8 x i32] undef, align 4

; Function Attrs: convergent noinline norecurse nounwind optnone
define protected amdgpu_kernel void @histogram(ptr addrspace(1) noundef align 1 %in, i32 noundef %size, ptr addrspace(1) noundef align 4 %counts) #0 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 {
entry:
  %in.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %size.addr = alloca i32, align 4, addrspace(5)
  %counts.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %in.addr.ascast = addrspacecast ptr addrspace(5) %in.addr to ptr
  %size.addr.ascast = addrspacecast ptr addrspace(5) %size.addr to ptr
  %counts.addr.ascast = addrspacecast ptr addrspace(5) %counts.addr to ptr
  store ptr addrspace(1) %in, ptr %in.addr.ascast, align 8
  store i32 %size, ptr %size.addr.ascast, align 4
  store ptr addrspace(1) %counts, ptr %counts.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %in.addr.ascast, align 8
  %1 = load i32, ptr %size.addr.ascast, align 4
  %2 = load ptr addrspace(1), ptr %counts.addr.ascast, align 8
  call void @__clang_ocl_kern_imp_histogram(ptr addrspace(1) noundef align 1 %0, i32 noundef %1, ptr addrspace(1) noundef align 4 %2) #4
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define protected void @__clang_ocl_kern_imp_histogram(ptr addrspace(1) noundef align 1 %in, i32 noundef %size, ptr addrspace(1) noundef align 4 %counts) #1 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 {
entry:
  %in.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %size.addr = alloca i32, align 4, addrspace(5)
  %counts.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %me = alloca i32, align 4, addrspace(5)
  %i = alloca i32, align 4, addrspace(5)
  %in.addr.ascast = addrspacecast ptr addrspace(5) %in.addr to ptr
  %size.addr.ascast = addrspacecast ptr addrspace(5) %size.addr to ptr
  %counts.addr.ascast = addrspacecast ptr addrspace(5) %counts.addr to ptr
  store ptr addrspace(1) %in, ptr %in.addr.ascast, align 8
  store i32 %size, ptr %size.addr.ascast, align 4
  store ptr addrspace(1) %counts, ptr %counts.addr.ascast, align 8
  %call = call i64 @_Z12get_local_idj(i32 noundef 0) #5
  %conv = trunc i64 %call to i32
  store i32 %conv, ptr addrspace(5) %me, align 4
  %0 = load i32, ptr addrspace(5) %me, align 4
  %cmp = icmp ult i32 %0, 8
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %1 = load i32, ptr addrspace(5) %me, align 4
  %idxprom = zext i32 %1 to i64
  %arrayidx = getelementptr inbounds nuw [8 x i32], ptr addrspace(3) @histogram.bins, i64 0, i64 %idxprom
  store i32 0, ptr addrspace(3) %arrayidx, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  call void @_Z7barrierj(i32 noundef 1) #4
  %call2 = call i64 @_Z13get_global_idj(i32 noundef 0) #5
  %conv3 = trunc i64 %call2 to i32
  store i32 %conv3, ptr addrspace(5) %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %if.end
  %2 = load i32, ptr addrspace(5) %i, align 4
  %3 = load i32, ptr %size.addr.ascast, align 4
  %cmp4 = icmp ult i32 %2, %3
  br i1 %cmp4, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %4 = load ptr addrspace(1), ptr %in.addr.ascast, align 8
  %5 = load i32, ptr addrspace(5) %i, align 4
  %idxprom6 = zext i32 %5 to i64
  %arrayidx7 = getelementptr inbounds nuw i8, ptr addrspace(1) %4, i64 %idxprom6
  %6 = load i8, ptr addrspace(1) %arrayidx7, align 1
  %conv8 = zext i8 %6 to i32
  %rem = srem i32 %conv8, 8
  %idxprom9 = sext i32 %rem to i64
  %arrayidx10 = getelementptr inbounds [8 x i32], ptr addrspace(3) @histogram.bins, i64 0, i64 %idxprom9
  %call11 = call i32 @_Z10atomic_incPU3AS3Vi(ptr addrspace(3) noundef %arrayidx10) #4
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %call12 = call i64 @_Z15get_global_sizej(i32 noundef 0) #5
  %7 = load i32, ptr addrspace(5) %i, align 4
  %conv13 = zext i32 %7 to i64
  %add = add i64 %conv13, %call12
  %conv14 = trunc i64 %add to i32
  store i32 %conv14, ptr addrspace(5) %i, align 4
  br label %for.cond

for.end:                                          ; preds = %for.cond
  call void @_Z7barrierj(i32 noundef 1) #4
  %8 = load i32, ptr addrspace(5) %me, align 4
  %cmp15 = icmp ult i32 %8, 8
  br i1 %cmp15, label %if.then17, label %if.end23

if.then17:                                        ; preds = %for.end
  %9 = load ptr addrspace(1), ptr %counts.addr.ascast, align 8
  %10 = load i32, ptr addrspace(5) %me, align 4
  %idxprom18 = zext i32 %10 to i64
  %arrayidx19 = getelementptr inbounds nuw i32, ptr addrspace(1) %9, i64 %idxprom18
  %11 = load i32, ptr addrspace(5) %me, align 4
  %idxprom20 = zext i32 %11 to i64
  %arrayidx21 = getelementptr inbounds nuw [8 x i32], ptr addrspace(3) @histogram.bins, i64 0, i64 %idxprom20
  %12 = load i32, ptr addrspace(3) %arrayidx21, align 4
  %call22 = call i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef %arrayidx19, i32 noundef %12) #4
  br label %if.end23

if.end23:                                         ; preds = %if.then17, %for.end
  ret void
}

; Function Attrs: convergent nounwind willreturn memory(none)
declare hidden i64 @_Z12get_local_idj(i32 noundef) #2

; Function Attrs: convergent nounwind
declare hidden void @_Z7barrierj(i32 noundef) #3

; Function Attrs: convergent nounwind willreturn memory(none)
declare hidden i64 @_Z13get_global_idj(i32 noundef) #2

; Function Attrs: convergent nounwind
declare hidden i32 @_Z10atomic_incPU3AS3Vi(ptr addrspace(3) noundef) #3

; Function Attrs: convergent nounwind willreturn memory(none)
declare hidden i64 @_Z15get_global_sizej(i32 noundef) #2

; Function Attrs: convergent nounwind
declare hidden i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef, i32 noundef) #3

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
!6 = !{i32 1, i32 0, i32 1}
!7 = !{!"none", !"none", !"none"}
!8 = !{!"uchar*", !"uint", !"int*"}
!9 = !{!"const", !"", !""}
