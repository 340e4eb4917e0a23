; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O0 reduction.hip -o reduction.hip.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 64
; CONVCHECK: --buffer %in=i32[128]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22,13,4,5,43,-23,31,17,-50,-11,35,5,-47,26,22,34,-33,-42,36,-48,4,-42,-21,-2,-8,-10,-48,-50,-38,-50,17,2,14,-25,11,26,-12,-4,49,30,48,-13,18,45,15,34,18,20,-12,37,-37,7,22,34,2,-13,-19,-8,-2,21,38,-43,43,3,-15,17,7,-25,-18,21,9,0,-17,26,-11,-18,39,-24,-28,21,12,-46,-42,-13,33,-10,28,-19,-27,29,37,-43,-45,17,-17,7,-35,36,-5,39,29,20,-27,26,-45,7,-10,49,-31,44,-41,12,8
; CONVCHECK: --buffer %out=i32[2]
; CONVCHECK: --show %out
; CHECK: %out = i32[2]: 32, 46

source_filename = "reduction.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

$_Z13__syncthreadsv = comdat any

@_ZZ9reductionE4tile = internal addrspace(3) global [64 x i32] undef, align 16
@.str = private unnamed_addr addrspace(4) constant [10 x i8] c"workgroup\00", align 1
@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define protected amdgpu_kernel void @reduction(ptr addrspace(1) noundef %in.coerce, ptr addrspace(1) noundef %out.coerce) #0 {
entry:
  %in = alloca ptr, align 8, addrspace(5)
  %out = alloca ptr, align 8, addrspace(5)
  %in.addr = alloca ptr, align 8, addrspace(5)
  %out.addr = alloca ptr, align 8, addrspace(5)
  %me = alloca i32, align 4, addrspace(5)
  %stride = alloca i32, align 4, addrspace(5)
  %in.ascast = addrspacecast ptr addrspace(5) %in to ptr
  %out.ascast = addrspacecast ptr addrspace(5) %out to ptr
  %in.addr.ascast = addrspacecast ptr addrspace(5) %in.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %me.ascast = addrspacecast ptr addrspace(5) %me to ptr
  %stride.ascast = addrspacecast ptr addrspace(5) %stride to ptr
  store ptr addrspace(1) %in.coerce, ptr %in.ascast, align 8
  %in1 = load ptr, ptr %in.ascast, align 8
  store ptr addrspace(1) %out.coerce, ptr %out.ascast, align 8
  %out2 = load ptr, ptr %out.ascast, align 8
  store ptr %in1, ptr %in.addr.ascast, align 8
  store ptr %out2, ptr %out.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %0, ptr %me.ascast, align 4
  %1 = load ptr, ptr %in.addr.ascast, align 8
  %2 = call i32 @llvm.amdgcn.workgroup.id.x()
  %3 = call align 8 dereferenceable(256) ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %4 = getelementptr i8, ptr addrspace(4) %3, i32 12
  %5 = load i16, ptr addrspace(4) %4, align 2, !range !6, !invariant.load !7, !noundef !7
  %conv = zext i16 %5 to i32
  %mul = mul i32 %2, %conv
  %6 = load i32, ptr %me.ascast, align 4
  %add = add i32 %mul, %6
  %idxprom = zext i32 %add to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr %1, i64 %idxprom
  %7 = load i32, ptr %arrayidx, align 4
  %8 = load i32, ptr %me.ascast, align 4
  %idxprom3 = zext i32 %8 to i64
  %arrayidx4 = getelementptr inbounds nuw [64 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ9reductionE4tile to ptr), i64 0, i64 %idxprom3
  store i32 %7, ptr %arrayidx4, align 4
  call void @_Z13__syncthreadsv() #4
  %9 = call align 8 dereferenceable(256) ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %10 = getelementptr i8, ptr addrspace(4) %9, i32 12
  %11 = load i16, ptr addrspace(4) %10, align 2, !range !6, !invariant.load !7, !noundef !7
  %conv5 = zext i16 %11 to i32
  %div = sdiv i32 %conv5, 2
  store i32 %div, ptr %stride.ascast, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %12 = load i32, ptr %stride.ascast, align 4
  %cmp = icmp ugt i32 %12, 0
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %13 = load i32, ptr %me.ascast, align 4
  %14 = load i32, ptr %stride.ascast, align 4
  %cmp6 = icmp ult i32 %13, %14
  br i1 %cmp6, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %15 = load i32, ptr %me.ascast, align 4
  %16 = load i32, ptr %stride.ascast, align 4
  %add7 = add i32 %15, %16
  %idxprom8 = zext i32 %add7 to i64
  %arrayidx9 = getelementptr inbounds nuw [64 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ9reductionE4tile to ptr), i64 0, i64 %idxprom8
  %17 = load i32, ptr %arrayidx9, align 4
  %18 = load i32, ptr %me.ascast, align 4
  %idxprom10 = zext i32 %18 to i64
  %arrayidx11 = getelementptr inbounds nuw [64 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ9reductionE4tile to ptr), i64 0, i64 %idxprom10
  %19 = load i32, ptr %arrayidx11, align 4
  %add12 = add nsw i32 %19, %17
  store i32 %add12, ptr %arrayidx11, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  call void @_Z13__syncthreadsv() #4
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %20 = load i32, ptr %stride.ascast, align 4
  %shr = lshr i32 %20, 1
  store i32 %shr, ptr %stride.ascast, align 4
  br label %for.cond, !llvm.loop !8

for.end:                                          ; preds = %for.cond
  %21 = load i32, ptr %me.ascast, align 4
  %cmp13 = icmp eq i32 %21, 0
  br i1 %cmp13, label %if.then14, label %if.end17

if.then14:                                        ; preds = %for.end
  %22 = load i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9reductionE4tile to ptr), align 16
  %23 = load ptr, ptr %out.addr.ascast, align 8
  %24 = call i32 @llvm.amdgcn.workgroup.id.x()
  %idxprom15 = zext i32 %24 to i64
  %arrayidx16 = getelementptr inbounds nuw i32, ptr %23, i64 %idxprom15
  store i32 %22, ptr %arrayidx16, align 4
  br label %if.end17

if.end17:                                         ; preds = %if.then14, %for.end
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef align 4 ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr() #1

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr hidden void @_Z13__syncthreadsv() #2 comdat {
entry:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  ret void
}

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
!8 = distinct !{!8, !9}
!9 = !{!"llvm.loop.mustprogress"}
