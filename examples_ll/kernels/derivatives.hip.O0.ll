; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O0 derivatives.hip -o derivatives.hip.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 32 --subgroup-size 32
; CONVCHECK: --buffer %in=f32[32]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25,4.0,1.25,1.75,13.75,-7.25,10.0,5.25,-16.0,-3.5,11.25,1.5,-15.0,8.25,7.25,11.0,-10.5
; CONVCHECK: --buffer %dx=f32[32]
; CONVCHECK: --buffer %dy=f32[32]
; CONVCHECK: --show %dx
; CONVCHECK: --show %dy
; CHECK: %dx = f32[32]: -6.75, -6.75, -7.75, -7.75, -8.5, -8.5, -1.75, -1.75, 20.5, 20.5, 8.25, 8.25, 3.25, 3.25, -7.75, -7.75, -2.75, -2.75, 12.0, 12.0, 17.25, 17.25, -21.25, -21.25, 14.75, 14.75, -16.5, -16.5, -1.0, -1.0, -21.5, -21.5
; CHECK: %dy = f32[32]: -10.75, -11.75, -10.75, -11.75, -7.5, -0.75, -7.5, -0.75, 15.25, 3.0, 15.25, 3.0, 15.0, 4.0, 15.0, 4.0, -2.25, 12.5, -2.25, 12.5, 12.5, -26.0, 12.5, -26.0, 5.0, -26.25, 5.0, -26.25, 2.75, -17.75, 2.75, -17.75

source_filename = "derivatives.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define protected amdgpu_kernel void @derivatives(ptr addrspace(1) noundef %in.coerce, ptr addrspace(1) noundef %dx.coerce, ptr addrspace(1) noundef %dy.coerce) #0 {
entry:
  %in = alloca ptr, align 8, addrspace(5)
  %dx = alloca ptr, align 8, addrspace(5)
  %dy = alloca ptr, align 8, addrspace(5)
  %in.addr = alloca ptr, align 8, addrspace(5)
  %dx.addr = alloca ptr, align 8, addrspace(5)
  %dy.addr = alloca ptr, align 8, addrspace(5)
  %id = alloca i32, align 4, addrspace(5)
  %mine = alloca float, align 4, addrspace(5)
  %ref.tmp = alloca i32, align 4, addrspace(5)
  %ref.tmp4 = alloca i32, align 4, addrspace(5)
  %ref.tmp7 = alloca i32, align 4, addrspace(5)
  %ref.tmp8 = alloca i32, align 4, addrspace(5)
  %in.ascast = addrspacecast ptr addrspace(5) %in to ptr
  %dx.ascast = addrspacecast ptr addrspace(5) %dx to ptr
  %dy.ascast = addrspacecast ptr addrspace(5) %dy to ptr
  %in.addr.ascast = addrspacecast ptr addrspace(5) %in.addr to ptr
  %dx.addr.ascast = addrspacecast ptr addrspace(5) %dx.addr to ptr
  %dy.addr.ascast = addrspacecast ptr addrspace(5) %dy.addr to ptr
  %id.ascast = addrspacecast ptr addrspace(5) %id to ptr
  %mine.ascast = addrspacecast ptr addrspace(5) %mine to ptr
  %ref.tmp.ascast = addrspacecast ptr addrspace(5) %ref.tmp to ptr
  %ref.tmp4.ascast = addrspacecast ptr addrspace(5) %ref.tmp4 to ptr
  %ref.tmp7.ascast = addrspacecast ptr addrspace(5) %ref.tmp7 to ptr
  %ref.tmp8.ascast = addrspacecast ptr addrspace(5) %ref.tmp8 to ptr
  store ptr addrspace(1) %in.coerce, ptr %in.ascast, align 8
  %in1 = load ptr, ptr %in.ascast, align 8
  store ptr addrspace(1) %dx.coerce, ptr %dx.ascast, align 8
  %dx2 = load ptr, ptr %dx.ascast, align 8
  store ptr addrspace(1) %dy.coerce, ptr %dy.ascast, align 8
  %dy3 = load ptr, ptr %dy.ascast, align 8
  store ptr %in1, ptr %in.addr.ascast, align 8
  store ptr %dx2, ptr %dx.addr.ascast, align 8
  store ptr %dy3, ptr %dy.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workgroup.id.x()
  %1 = call align 8 dereferenceable(256) ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %2 = getelementptr i8, ptr addrspace(4) %1, i32 12
  %3 = load i16, ptr addrspace(4) %2, align 2, !range !6, !invariant.load !7, !noundef !7
  %conv = zext i16 %3 to i32
  %mul = mul i32 %0, %conv
  %4 = call i32 @llvm.amdgcn.workitem.id.x()
  %add = add i32 %mul, %4
  store i32 %add, ptr %id.ascast, align 4
  %5 = load ptr, ptr %in.addr.ascast, align 8
  %6 = load i32, ptr %id.ascast, align 4
  %idxprom = zext i32 %6 to i64
  %arrayidx = getelementptr inbounds nuw float, ptr %5, i64 %idxprom
  %7 = load float, ptr %arrayidx, align 4
  store float %7, ptr %mine.ascast, align 4
  %8 = load i32, ptr %mine.ascast, align 4
  %9 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %8, i32 245, i32 15, i32 15, i1 true)
  store i32 %9, ptr %ref.tmp.ascast, align 4
  %10 = load float, ptr %ref.tmp.ascast, align 4
  %11 = load i32, ptr %mine.ascast, align 4
  %12 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %11, i32 160, i32 15, i32 15, i1 true)
  store i32 %12, ptr %ref.tmp4.ascast, align 4
  %13 = load float, ptr %ref.tmp4.ascast, align 4
  %sub = fsub contract float %10, %13
  %14 = load ptr, ptr %dx.addr.ascast, align 8
  %15 = load i32, ptr %id.ascast, align 4
  %idxprom5 = zext i32 %15 to i64
  %arrayidx6 = getelementptr inbounds nuw float, ptr %14, i64 %idxprom5
  store float %sub, ptr %arrayidx6, align 4
  %16 = load i32, ptr %mine.ascast, align 4
  %17 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %16, i32 238, i32 15, i32 15, i1 true)
  store i32 %17, ptr %ref.tmp7.ascast, align 4
  %18 = load float, ptr %ref.tmp7.ascast, align 4
  %19 = load i32, ptr %mine.ascast, align 4
  %20 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %19, i32 68, i32 15, i32 15, i1 true)
  store i32 %20, ptr %ref.tmp8.ascast, align 4
  %21 = load float, ptr %ref.tmp8.ascast, align 4
  %sub9 = fsub contract float %18, %21
  %22 = load ptr, ptr %dy.addr.ascast, align 8
  %23 = load i32, ptr %id.ascast, align 4
  %idxprom10 = zext i32 %23 to i64
  %arrayidx11 = getelementptr inbounds nuw float, ptr %22, i64 %idxprom10
  store float %sub9, ptr %arrayidx11, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef align 4 ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

; Function Attrs: convergent nocallback nofree nounwind willreturn memory(none)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg) #2

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "amdgpu-flat-work-group-size"="1,1024" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+atomic-fmin-fmax-global-f32,+atomic-fmin-fmax-global-f64,+ci-insts,+cube-insts,+cvt-pknorm-vop2-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+lerp-inst,+qsad-insts,+s-memrealtime,+s-memtime-inst,+sad-insts,+wavefrontsize32" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nofree nounwind willreturn memory(none) }

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
