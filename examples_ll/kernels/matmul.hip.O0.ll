; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O0 matmul.hip -o matmul.hip.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2,2 --workgroup 2,2 --arg %n=4
; CONVCHECK: --buffer %a=f32[16]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25
; CONVCHECK: --buffer %b=f32[16]:4.0,1.25,1.75,13.75,-7.25,10.0,5.25,-16.0,-3.5,11.25,1.5,-15.0,8.25,7.25,11.0,-10.5
; CONVCHECK: --buffer %c=f32[16]
; CONVCHECK: --show %c
; CHECK: %c = f32[16]: -49.5625, 4.6875, -40.5625, 158.25, 2.1875, -422.375, -279.5, 519.0625, -23.875, 234.5625, 184.25, -512.125, -16.25, 253.8125, 119.3125, -353.125

source_filename = "matmul.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

$_Z13__syncthreadsv = comdat any

@_ZZ6matmulE2as = internal addrspace(3) global [2 x [2 x float]] undef, align 16
@_ZZ6matmulE2bs = internal addrspace(3) global [2 x [2 x float]] undef, align 16
@.str = private unnamed_addr addrspace(4) constant [10 x i8] c"workgroup\00", align 1
@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define protected amdgpu_kernel void @matmul(ptr addrspace(1) noundef %a.coerce, ptr addrspace(1) noundef %b.coerce, ptr addrspace(1) noundef %c.coerce, i32 noundef %n) #0 {
entry:
  %a = alloca ptr, align 8, addrspace(5)
  %b = alloca ptr, align 8, addrspace(5)
  %c = alloca ptr, align 8, addrspace(5)
  %a.addr = alloca ptr, align 8, addrspace(5)
  %b.addr = alloca ptr, align 8, addrspace(5)
  %c.addr = alloca ptr, align 8, addrspace(5)
  %n.addr = alloca i32, align 4, addrspace(5)
  %x = alloca i32, align 4, addrspace(5)
  %y = alloca i32, align 4, addrspace(5)
  %column = alloca i32, align 4, addrspace(5)
  %row = alloca i32, align 4, addrspace(5)
  %sum = alloca float, align 4, addrspace(5)
  %t = alloca i32, align 4, addrspace(5)
  %k = alloca i32, align 4, addrspace(5)
  %a.ascast = addrspacecast ptr addrspace(5) %a to ptr
  %b.ascast = addrspacecast ptr addrspace(5) %b to ptr
  %c.ascast = addrspacecast ptr addrspace(5) %c to ptr
  %a.addr.ascast = addrspacecast ptr addrspace(5) %a.addr to ptr
  %b.addr.ascast = addrspacecast ptr addrspace(5) %b.addr to ptr
  %c.addr.ascast = addrspacecast ptr addrspace(5) %c.addr to ptr
  %n.addr.ascast = addrspacecast ptr addrspace(5) %n.addr to ptr
  %x.ascast = addrspacecast ptr addrspace(5) %x to ptr
  %y.ascast = addrspacecast ptr addrspace(5) %y to ptr
  %column.ascast = addrspacecast ptr addrspace(5) %column to ptr
  %row.ascast = addrspacecast ptr addrspace(5) %row to ptr
  %sum.ascast = addrspacecast ptr addrspace(5) %sum to ptr
  %t.ascast = addrspacecast ptr addrspace(5) %t to ptr
  %k.ascast = addrspacecast ptr addrspace(5) %k to ptr
  store ptr addrspace(1) %a.coerce, ptr %a.ascast, align 8
  %a1 = load ptr, ptr %a.ascast, align 8
  store ptr addrspace(1) %b.coerce, ptr %b.ascast, align 8
  %b2 = load ptr, ptr %b.ascast, align 8
  store ptr addrspace(1) %c.coerce, ptr %c.ascast, align 8
  %c3 = load ptr, ptr %c.ascast, align 8
  store ptr %a1, ptr %a.addr.ascast, align 8
  store ptr %b2, ptr %b.addr.ascast, align 8
  store ptr %c3, ptr %c.addr.ascast, align 8
  store i32 %n, ptr %n.addr.ascast, align 4
  %0 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %0, ptr %x.ascast, align 4
  %1 = call i32 @llvm.amdgcn.workitem.id.y()
  store i32 %1, ptr %y.ascast, align 4
  %2 = call i32 @llvm.amdgcn.workgroup.id.x()
  %mul = mul i32 %2, 2
  %3 = load i32, ptr %x.ascast, align 4
  %add = add i32 %mul, %3
  store i32 %add, ptr %column.ascast, align 4
  %4 = call i32 @llvm.amdgcn.workgroup.id.y()
  %mul4 = mul i32 %4, 2
  %5 = load i32, ptr %y.ascast, align 4
  %add5 = add i32 %mul4, %5
  store i32 %add5, ptr %row.ascast, align 4
  store float 0.000000e+00, ptr %sum.ascast, align 4
  store i32 0, ptr %t.ascast, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc35, %entry
  %6 = load i32, ptr %t.ascast, align 4
  %7 = load i32, ptr %n.addr.ascast, align 4
  %cmp = icmp slt i32 %6, %7
  br i1 %cmp, label %for.body, label %for.end37

for.body:                                         ; preds = %for.cond
  %8 = load ptr, ptr %a.addr.ascast, align 8
  %9 = load i32, ptr %row.ascast, align 4
  %10 = load i32, ptr %n.addr.ascast, align 4
  %mul6 = mul nsw i32 %9, %10
  %11 = load i32, ptr %t.ascast, align 4
  %add7 = add nsw i32 %mul6, %11
  %12 = load i32, ptr %x.ascast, align 4
  %add8 = add nsw i32 %add7, %12
  %idxprom = sext i32 %add8 to i64
  %arrayidx = getelementptr inbounds float, ptr %8, i64 %idxprom
  %13 = load float, ptr %arrayidx, align 4
  %14 = load i32, ptr %y.ascast, align 4
  %idxprom9 = sext i32 %14 to i64
  %arrayidx10 = getelementptr inbounds [2 x [2 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ6matmulE2as to ptr), i64 0, i64 %idxprom9
  %15 = load i32, ptr %x.ascast, align 4
  %idxprom11 = sext i32 %15 to i64
  %arrayidx12 = getelementptr inbounds [2 x float], ptr %arrayidx10, i64 0, i64 %idxprom11
  store float %13, ptr %arrayidx12, align 4
  %16 = load ptr, ptr %b.addr.ascast, align 8
  %17 = load i32, ptr %t.ascast, align 4
  %18 = load i32, ptr %y.ascast, align 4
  %add13 = add nsw i32 %17, %18
  %19 = load i32, ptr %n.addr.ascast, align 4
  %mul14 = mul nsw i32 %add13, %19
  %20 = load i32, ptr %column.ascast, align 4
  %add15 = add nsw i32 %mul14, %20
  %idxprom16 = sext i32 %add15 to i64
  %arrayidx17 = getelementptr inbounds float, ptr %16, i64 %idxprom16
  %21 = load float, ptr %arrayidx17, align 4
  %22 = load i32, ptr %y.ascast, align 4
  %idxprom18 = sext i32 %22 to i64
  %arrayidx19 = getelementptr inbounds [2 x [2 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ6matmulE2bs to ptr), i64 0, i64 %idxprom18
  %23 = load i32, ptr %x.ascast, align 4
  %idxprom20 = sext i32 %23 to i64
  %arrayidx21 = getelementptr inbounds [2 x float], ptr %arrayidx19, i64 0, i64 %idxprom20
  store float %21, ptr %arrayidx21, align 4
  call void @_Z13__syncthreadsv() #4
  store i32 0, ptr %k.ascast, align 4
  br label %for.cond22

for.cond22:                                       ; preds = %for.inc, %for.body
  %24 = load i32, ptr %k.ascast, align 4
  %cmp23 = icmp slt i32 %24, 2
  br i1 %cmp23, label %for.body24, label %for.end

for.body24:                                       ; preds = %for.cond22
  %25 = load i32, ptr %y.ascast, align 4
  %idxprom25 = sext i32 %25 to i64
  %arrayidx26 = getelementptr inbounds [2 x [2 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ6matmulE2as to ptr), i64 0, i64 %idxprom25
  %26 = load i32, ptr %k.ascast, align 4
  %idxprom27 = sext i32 %26 to i64
  %arrayidx28 = getelementptr inbounds [2 x float], ptr %arrayidx26, i64 0, i64 %idxprom27
  %27 = load float, ptr %arrayidx28, align 4
  %28 = load i32, ptr %k.ascast, align 4
  %idxprom29 = sext i32 %28 to i64
  %arrayidx30 = getelementptr inbounds [2 x [2 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ6matmulE2bs to ptr), i64 0, i64 %idxprom29
  %29 = load i32, ptr %x.ascast, align 4
  %idxprom31 = sext i32 %29 to i64
  %arrayidx32 = getelementptr inbounds [2 x float], ptr %arrayidx30, i64 0, i64 %idxprom31
  %30 = load float, ptr %arrayidx32, align 4
  %mul33 = fmul contract float %27, %30
  %31 = load float, ptr %sum.ascast, align 4
  %add34 = fadd contract float %31, %mul33
  store float %add34, ptr %sum.ascast, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body24
  %32 = load i32, ptr %k.ascast, align 4
  %inc = add nsw i32 %32, 1
  store i32 %inc, ptr %k.ascast, align 4
  br label %for.cond22, !llvm.loop !6

for.end:                                          ; preds = %for.cond22
  call void @_Z13__syncthreadsv() #4
  br label %for.inc35

for.inc35:                                        ; preds = %for.end
  %33 = load i32, ptr %t.ascast, align 4
  %add36 = add nsw i32 %33, 2
  store i32 %add36, ptr %t.ascast, align 4
  br label %for.cond, !llvm.loop !8

for.end37:                                        ; preds = %for.cond
  %34 = load float, ptr %sum.ascast, align 4
  %35 = load ptr, ptr %c.addr.ascast, align 8
  %36 = load i32, ptr %row.ascast, align 4
  %37 = load i32, ptr %n.addr.ascast, align 4
  %mul38 = mul nsw i32 %36, %37
  %38 = load i32, ptr %column.ascast, align 4
  %add39 = add nsw i32 %mul38, %38
  %idxprom40 = sext i32 %add39 to i64
  %arrayidx41 = getelementptr inbounds float, ptr %35, i64 %idxprom40
  store float %34, ptr %arrayidx41, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.y() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.y() #1

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
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.mustprogress"}
!8 = distinct !{!8, !7}
