; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O0 raymarch.hip -o raymarch.hip.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 32
; CONVCHECK: --buffer %distances=f32[512]:3.75,3.0,2.0,1.0,1.0,0.0,0.25,0.0,0.5,3.25,2.5,3.5,2.0,2.25,3.75,2.75,3.0,2.5,2.0,3.5,1.0,3.25,2.5,0.0,1.5,3.25,2.0,0.0,3.0,2.75,3.25,0.5,0.75,3.75,0.0,2.0,0.25,1.0,1.75,1.5,1.5,0.0,0.0,0.25,0.0,2.5,2.0,2.5,1.5,2.75,3.0,1.5,1.75,3.75,3.0,3.75,1.5,2.5,3.75,2.5,3.25,2.75,2.75,1.5,4.0,1.0,2.25,2.75,3.25,2.0,1.5,1.0,1.5,1.75,2.75,3.5,0.25,3.5,2.0,1.25,3.0,2.75,1.0,1.25,2.75,2.25,2.0,1.25,3.0,1.5,1.25,3.5,1.0,0.75,2.75,2.25,0.5,0.75,1.5,3.25,1.5,3.0,1.25,0.75,3.0,3.5,0.25,0.0,2.5,1.25,2.25,0.5,3.75,2.25,3.5,3.0,2.75,0.75,3.0,0.0,2.25,1.5,3.75,0.75,3.75,0.25,2.25,2.25,4.0,1.5,3.5,2.5,3.5,0.75,3.0,3.75,0.0,1.25,2.5,0.25,2.0,2.5,3.0,3.5,2.0,2.25,1.75,3.75,0.75,1.75,0.0,1.5,3.75,2.25,1.25,3.75,2.25,3.75,0.0,1.75,3.75,3.5,1.5,1.75,1.5,2.0,0.75,3.0,0.25,1.5,1.0,2.75,2.75,2.75,3.5,3.5,1.0,0.75,0.5,2.75,3.75,3.5,2.5,3.75,3.25,0.0,0.25,3.25,0.25,3.75,3.25,3.75,1.75,1.0,2.0,3.75,1.25,3.5,1.5,3.25,0.75,1.75,1.25,0.75,3.5,3.0,0.5,3.5,4.25,1.5,1.5,2.0,2.5,1.75,0.5,3.5,2.75,0.0,3.25,2.75,0.5,2.25,2.0,0.0,4.0,3.25,1.0,0.0,0.25,3.0,0.5,2.0,3.5,3.5,1.0,0.25,1.75,3.25,2.25,0.25,3.0,1.75,0.75,1.5,3.25,3.75,0.5,2.0,3.0,1.0,1.0,0.75,0.75,3.5,0.75,0.75,1.0,0.75,3.0,1.0,3.0,2.25,3.25,2.0,3.0,3.0,0.0,2.0,1.75,1.0,1.75,1.5,2.25,3.75,3.25,2.5,2.75,3.75,2.5,1.25,0.25,2.0,0.75,2.25,0.0,3.25,3.75,0.5,3.75,2.0,0.0,3.5,3.75,0.0,2.25,3.25,3.0,1.5,3.25,3.25,0.25,0.0,0.25,1.25,0.75,0.75,1.0,2.5,2.0,1.0,3.75,2.75,2.5,3.75,3.0,0.5,0.0,3.25,1.5,0.0,2.25,2.0,1.5,1.5,1.25,1.75,1.75,3.75,2.75,3.0,0.0,1.0,3.75,1.0,2.0,3.25,3.0,4.0,0.5,2.0,2.5,1.25,2.25,3.75,2.75,1.25,0.25,0.5,1.0,3.5,1.0,3.0,1.5,3.0,2.0,3.75,2.25,3.5,3.75,2.75,2.5,3.25,3.75,0.75,2.25,0.5,0.25,2.5,0.5,3.25,3.25,0.5,2.5,1.5,3.5,3.5,2.25,2.0,2.75,2.25,2.75,0.75,3.0,2.0,3.5,2.5,1.0,0.25,2.0,3.75,0.0,2.25,1.75,0.0,2.0,3.0,2.75,3.75,2.0,2.25,4.25,1.75,3.0,0.75,1.25,2.5,2.25,0.75,2.5,2.25,3.5,2.25,3.5,3.75,0.25,0.25,2.5,2.25,2.0,2.75,1.25,0.5,2.5,1.5,3.5,0.25,2.75,2.75,1.0,0.25,1.25,1.5,4.25,3.75,0.75,1.75,2.25,3.5,0.5,3.0,3.5,3.5,1.0,0.5,2.25,0.25,0.5,0.25,1.25,3.75,2.5,2.5,3.75,1.75,0.0,0.5,1.0,2.5,1.25,1.25,0.25,2.75,0.0,1.75,3.25,2.5,2.5,3.0,0.75,0.25,0.0,2.25,1.0,0.75,2.75,3.0,3.75,1.75,2.0,3.75,2.5,1.0,1.0,3.75,0.0,3.0,2.5,1.75,3.25,3.25,1.75,2.25,3.0,2.5,1.75,3.5,4.0,0.75,2.0,3.25,0.25,1.5,2.0,1.25,2.75,3.75,1.25,3.0,0.25,1.75,0.0,1.5
; CONVCHECK: --buffer %depth=f32[32]
; CONVCHECK: --buffer %together=i32[32]
; CONVCHECK: --show %depth
; CONVCHECK: --show %together
; CHECK: %depth = f32[32]: 5.75, 16.25, 9.5, 16.75, 16.25, 17.5, 11.5, 18.0, 17.0, 16.75, 17.75, 9.25, 19.0, 16.0, 17.0, 16.75, 16.25, 16.75, 13.75, 16.75, 10.75, 16.75, 17.5, 17.5, 6.0, 16.0, 16.75, 16.0, 6.75, 6.25, 18.75, 14.25
; CHECK: %together = i32[32]: 31, 22, 26, 22, 22, 22, 14, 22, 14, 22, 22, 26, 12, 26, 4, 12, 12, 26, 29, 12, 27, 12, 12, 12, 29, 2, 3, 2, 31, 32, 22, 12

source_filename = "raymarch.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

$_Z6ballotb = comdat any

@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define protected amdgpu_kernel void @raymarch(ptr addrspace(1) noundef %distances.coerce, ptr addrspace(1) noundef %depth.coerce, ptr addrspace(1) noundef %together.coerce) #0 {
entry:
  %distances = alloca ptr, align 8, addrspace(5)
  %depth = alloca ptr, align 8, addrspace(5)
  %together = alloca ptr, align 8, addrspace(5)
  %distances.addr = alloca ptr, align 8, addrspace(5)
  %depth.addr = alloca ptr, align 8, addrspace(5)
  %together.addr = alloca ptr, align 8, addrspace(5)
  %ray = alloca i32, align 4, addrspace(5)
  %t = alloca float, align 4, addrspace(5)
  %last = alloca i32, align 4, addrspace(5)
  %free = alloca float, align 4, addrspace(5)
  %distances.ascast = addrspacecast ptr addrspace(5) %distances to ptr
  %depth.ascast = addrspacecast ptr addrspace(5) %depth to ptr
  %together.ascast = addrspacecast ptr addrspace(5) %together to ptr
  %distances.addr.ascast = addrspacecast ptr addrspace(5) %distances.addr to ptr
  %depth.addr.ascast = addrspacecast ptr addrspace(5) %depth.addr to ptr
  %together.addr.ascast = addrspacecast ptr addrspace(5) %together.addr to ptr
  %ray.ascast = addrspacecast ptr addrspace(5) %ray to ptr
  %t.ascast = addrspacecast ptr addrspace(5) %t to ptr
  %last.ascast = addrspacecast ptr addrspace(5) %last to ptr
  %free.ascast = addrspacecast ptr addrspace(5) %free to ptr
  store ptr addrspace(1) %distances.coerce, ptr %distances.ascast, align 8
  %distances1 = load ptr, ptr %distances.ascast, align 8
  store ptr addrspace(1) %depth.coerce, ptr %depth.ascast, align 8
  %depth2 = load ptr, ptr %depth.ascast, align 8
  store ptr addrspace(1) %together.coerce, ptr %together.ascast, align 8
  %together3 = load ptr, ptr %together.ascast, align 8
  store ptr %distances1, ptr %distances.addr.ascast, align 8
  store ptr %depth2, ptr %depth.addr.ascast, align 8
  store ptr %together3, ptr %together.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workgroup.id.x()
  %1 = call align 8 dereferenceable(256) ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %2 = getelementptr i8, ptr addrspace(4) %1, i32 12
  %3 = load i16, ptr addrspace(4) %2, align 2, !range !6, !invariant.load !7, !noundef !7
  %conv = zext i16 %3 to i32
  %mul = mul i32 %0, %conv
  %4 = call i32 @llvm.amdgcn.workitem.id.x()
  %add = add i32 %mul, %4
  store i32 %add, ptr %ray.ascast, align 4
  store float 0.000000e+00, ptr %t.ascast, align 4
  store i32 0, ptr %last.ascast, align 4
  br label %while.cond

while.cond:                                       ; preds = %if.end, %entry
  %5 = load float, ptr %t.ascast, align 4
  %cmp = fcmp contract olt float %5, 1.600000e+01
  br i1 %cmp, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %6 = load ptr, ptr %distances.addr.ascast, align 8
  %7 = load i32, ptr %ray.ascast, align 4
  %mul4 = mul i32 %7, 16
  %8 = load float, ptr %t.ascast, align 4
  %conv5 = fptosi float %8 to i32
  %add6 = add i32 %mul4, %conv5
  %idxprom = zext i32 %add6 to i64
  %arrayidx = getelementptr inbounds nuw float, ptr %6, i64 %idxprom
  %9 = load float, ptr %arrayidx, align 4
  store float %9, ptr %free.ascast, align 4
  %10 = load float, ptr %free.ascast, align 4
  %cmp7 = fcmp contract olt float %10, 2.500000e-01
  br i1 %cmp7, label %if.then, label %if.end

if.then:                                          ; preds = %while.body
  br label %while.end

if.end:                                           ; preds = %while.body
  %11 = load float, ptr %free.ascast, align 4
  %12 = load float, ptr %t.ascast, align 4
  %add8 = fadd contract float %12, %11
  store float %add8, ptr %t.ascast, align 4
  %call = call noundef i32 @_Z6ballotb(i1 noundef zeroext true) #5
  %13 = call i32 @llvm.ctpop.i32(i32 %call)
  store i32 %13, ptr %last.ascast, align 4
  br label %while.cond, !llvm.loop !8

while.end:                                        ; preds = %if.then, %while.cond
  %14 = load float, ptr %t.ascast, align 4
  %15 = load ptr, ptr %depth.addr.ascast, align 8
  %16 = load i32, ptr %ray.ascast, align 4
  %idxprom9 = zext i32 %16 to i64
  %arrayidx10 = getelementptr inbounds nuw float, ptr %15, i64 %idxprom9
  store float %14, ptr %arrayidx10, align 4
  %17 = load i32, ptr %last.ascast, align 4
  %18 = load ptr, ptr %together.addr.ascast, align 8
  %19 = load i32, ptr %ray.ascast, align 4
  %idxprom11 = zext i32 %19 to i64
  %arrayidx12 = getelementptr inbounds nuw i32, ptr %18, i64 %idxprom11
  store i32 %17, ptr %arrayidx12, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef align 4 ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr hidden noundef i32 @_Z6ballotb(i1 noundef zeroext %b) #2 comdat {
entry:
  %retval = alloca i32, align 4, addrspace(5)
  %b.addr = alloca i8, align 1, addrspace(5)
  %retval.ascast = addrspacecast ptr addrspace(5) %retval to ptr
  %b.addr.ascast = addrspacecast ptr addrspace(5) %b.addr to ptr
  %storedv = zext i1 %b to i8
  store i8 %storedv, ptr %b.addr.ascast, align 1
  %0 = load i8, ptr %b.addr.ascast, align 1
  %loadedv = trunc i8 %0 to i1
  %1 = call i32 @llvm.amdgcn.ballot.i32(i1 %loadedv)
  ret i32 %1
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #3

; Function Attrs: convergent nocallback nocreateundeforpoison nofree nounwind willreturn memory(none)
declare i32 @llvm.amdgcn.ballot.i32(i1) #4

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "amdgpu-flat-work-group-size"="1,1024" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+atomic-fmin-fmax-global-f32,+atomic-fmin-fmax-global-f64,+ci-insts,+cube-insts,+cvt-pknorm-vop2-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+lerp-inst,+qsad-insts,+s-memrealtime,+s-memtime-inst,+sad-insts,+wavefrontsize32" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+atomic-fmin-fmax-global-f32,+atomic-fmin-fmax-global-f64,+ci-insts,+cube-insts,+cvt-pknorm-vop2-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+lerp-inst,+qsad-insts,+s-memrealtime,+s-memtime-inst,+sad-insts,+wavefrontsize32" }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { convergent nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }
attributes #5 = { convergent nounwind }

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
