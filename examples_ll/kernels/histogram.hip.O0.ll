; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O0 histogram.hip -o histogram.hip.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 32
; CONVCHECK: --buffer %in=u8[64]:95,130,194,217,207,235,15,163,33,215,217,130,248,189,16,69,184,232,205,78,169,61,125,10,29,240,66,19,182,39,59,4,59,81,222,44,120,122,50,208,78,28,64,166,121,89,170,233,127,178,237,128,113,123,76,155,69,154,130,248,95,73,192,186
; CONVCHECK: --buffer %counts=i32[8]:3,2,2,4,1,4,3,0
; CONVCHECK: --show %counts
; CHECK: %counts = i32[8]: 14, 12, 14, 11, 5, 12, 8, 7

source_filename = "histogram.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

$_Z13__syncthreadsv = comdat any

$_Z9atomicAddPii = comdat any

@_ZZ9histogramE4bins = internal addrspace(3) global [8 x i32] undef, align 16
@.str = private unnamed_addr addrspace(4) constant [10 x i8] c"workgroup\00", align 1
@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define protected amdgpu_kernel void @histogram(ptr addrspace(1) noundef %in.coerce, ptr addrspace(1) noundef %counts.coerce) #0 {
entry:
  %in = alloca ptr, align 8, addrspace(5)
  %counts = alloca ptr, align 8, addrspace(5)
  %in.addr = alloca ptr, align 8, addrspace(5)
  %counts.addr = alloca ptr, align 8, addrspace(5)
  %me = alloca i32, align 4, addrspace(5)
  %in.ascast = addrspacecast ptr addrspace(5) %in to ptr
  %counts.ascast = addrspacecast ptr addrspace(5) %counts to ptr
  %in.addr.ascast = addrspacecast ptr addrspace(5) %in.addr to ptr
  %counts.addr.ascast = addrspacecast ptr addrspace(5) %counts.addr to ptr
  %me.ascast = addrspacecast ptr addrspace(5) %me to ptr
  store ptr addrspace(1) %in.coerce, ptr %in.ascast, align 8
  %in1 = load ptr, ptr %in.ascast, align 8
  store ptr addrspace(1) %counts.coerce, ptr %counts.ascast, align 8
  %counts2 = load ptr, ptr %counts.ascast, align 8
  store ptr %in1, ptr %in.addr.ascast, align 8
  store ptr %counts2, ptr %counts.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %0, ptr %me.ascast, align 4
  %1 = load i32, ptr %me.ascast, align 4
  %cmp = icmp ult i32 %1, 8
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %2 = load i32, ptr %me.ascast, align 4
  %idxprom = zext i32 %2 to i64
  %arrayidx = getelementptr inbounds nuw [8 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ9histogramE4bins to ptr), i64 0, i64 %idxprom
  store i32 0, ptr %arrayidx, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  call void @_Z13__syncthreadsv() #4
  %3 = load ptr, ptr %in.addr.ascast, align 8
  %4 = call i32 @llvm.amdgcn.workgroup.id.x()
  %5 = call align 8 dereferenceable(256) ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %6 = getelementptr i8, ptr addrspace(4) %5, i32 12
  %7 = load i16, ptr addrspace(4) %6, align 2, !range !6, !invariant.load !7, !noundef !7
  %conv = zext i16 %7 to i32
  %mul = mul i32 %4, %conv
  %8 = load i32, ptr %me.ascast, align 4
  %add = add i32 %mul, %8
  %idxprom3 = zext i32 %add to i64
  %arrayidx4 = getelementptr inbounds nuw i8, ptr %3, i64 %idxprom3
  %9 = load i8, ptr %arrayidx4, align 1
  %conv5 = zext i8 %9 to i32
  %rem = srem i32 %conv5, 8
  %idxprom6 = sext i32 %rem to i64
  %arrayidx7 = getelementptr inbounds [8 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ9histogramE4bins to ptr), i64 0, i64 %idxprom6
  %call = call noundef i32 @_Z9atomicAddPii(ptr noundef %arrayidx7, i32 noundef 1) #4
  call void @_Z13__syncthreadsv() #4
  %10 = load i32, ptr %me.ascast, align 4
  %cmp8 = icmp ult i32 %10, 8
  br i1 %cmp8, label %if.then9, label %if.end15

if.then9:                                         ; preds = %if.end
  %11 = load ptr, ptr %counts.addr.ascast, align 8
  %12 = load i32, ptr %me.ascast, align 4
  %idxprom10 = zext i32 %12 to i64
  %arrayidx11 = getelementptr inbounds nuw i32, ptr %11, i64 %idxprom10
  %13 = load i32, ptr %me.ascast, align 4
  %idxprom12 = zext i32 %13 to i64
  %arrayidx13 = getelementptr inbounds nuw [8 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ9histogramE4bins to ptr), i64 0, i64 %idxprom12
  %14 = load i32, ptr %arrayidx13, align 4
  %call14 = call noundef i32 @_Z9atomicAddPii(ptr noundef %arrayidx11, i32 noundef %14) #4
  br label %if.end15

if.end15:                                         ; preds = %if.then9, %if.end
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr hidden void @_Z13__syncthreadsv() #2 comdat {
entry:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  ret void
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr hidden noundef i32 @_Z9atomicAddPii(ptr noundef %where, i32 noundef %value) #2 comdat {
entry:
  %retval = alloca i32, align 4, addrspace(5)
  %where.addr = alloca ptr, align 8, addrspace(5)
  %value.addr = alloca i32, align 4, addrspace(5)
  %.atomictmp = alloca i32, align 4, addrspace(5)
  %atomic-temp = alloca i32, align 4, addrspace(5)
  %retval.ascast = addrspacecast ptr addrspace(5) %retval to ptr
  %where.addr.ascast = addrspacecast ptr addrspace(5) %where.addr to ptr
  %value.addr.ascast = addrspacecast ptr addrspace(5) %value.addr to ptr
  %.atomictmp.ascast = addrspacecast ptr addrspace(5) %.atomictmp to ptr
  %atomic-temp.ascast = addrspacecast ptr addrspace(5) %atomic-temp to ptr
  store ptr %where, ptr %where.addr.ascast, align 8
  store i32 %value, ptr %value.addr.ascast, align 4
  %0 = load ptr, ptr %where.addr.ascast, align 8
  %1 = load i32, ptr %value.addr.ascast, align 4
  store i32 %1, ptr %.atomictmp.ascast, align 4
  %2 = load i32, ptr %.atomictmp.ascast, align 4
  %3 = atomicrmw add ptr %0, i32 %2 syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !7, !amdgpu.no.remote.memory !7
  store i32 %3, ptr %atomic-temp.ascast, align 4
  %4 = load i32, ptr %atomic-temp.ascast, align 4
  ret i32 %4
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef align 4 ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr() #1

; Function Attrs: convergent nocallback nofree nounwind willreturn
declare void @llvm.amdgcn.s.barrier() #3

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "amdgpu-flat-work-group-size"="1,1024" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+atomic-fmin-fmax-global-f32,+atomic-fmin-fmax-global-f64,+ci-insts,+cube-insts,+cvt-pknorm-vop2-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+lerp-inst,+qsad-insts,+s-memrealtime,+s-memtime-inst,+sad-insts,+wavefrontsize32" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+atomic-fmin-fmax-global-f32,+atomic-fmin-fmax-global-f64,+ci-insts,+cube-insts,+cvt-pknorm-vop2-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+lerp-inst,+qsad-insts,+s-memrealtime,+s-memtime-inst,+sad-insts,+wavefrontsize32" }
attributes #3 = { convergent nocallback nofree nounwind willreturn }
attributes #4 = { convergent nounwind }

!llvm.module.flags = !{!0, !1, !2, !3, !4}
!llvm.ident = !{!5}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"amdgpu_printf_kind", !"hostcall"}
!2 = !{i32 1, !"wchar_size", i32 4}
!3 = !{i32 8, !"PIC Level", i32 2}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"clang version 22.1.8"}
!6 = !{i16 1, i16 1025}
!7 = !{}
