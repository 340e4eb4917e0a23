; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O0 spinlock.hip -o spinlock.hip.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 8
; CONVCHECK: --buffer %lock=i32[1]
; CONVCHECK: --buffer %sum=i32[1]:35
; CONVCHECK: --show %lock
; CONVCHECK: --show %sum
; CHECK: %lock = i32[1]: 0
; CHECK: %sum = i32[1]: 71

source_filename = "spinlock.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define protected amdgpu_kernel void @spinlock(ptr addrspace(1) noundef %lock.coerce, ptr addrspace(1) noundef %sum.coerce) #0 {
entry:
  %lock = alloca ptr, align 8, addrspace(5)
  %sum = alloca ptr, align 8, addrspace(5)
  %lock.addr = alloca ptr, align 8, addrspace(5)
  %sum.addr = alloca ptr, align 8, addrspace(5)
  %mine = alloca i32, align 4, addrspace(5)
  %done = alloca i8, align 1, addrspace(5)
  %.atomictmp = alloca i32, align 4, addrspace(5)
  %atomic-temp = alloca i32, align 4, addrspace(5)
  %.atomictmp5 = alloca i32, align 4, addrspace(5)
  %lock.ascast = addrspacecast ptr addrspace(5) %lock to ptr
  %sum.ascast = addrspacecast ptr addrspace(5) %sum to ptr
  %lock.addr.ascast = addrspacecast ptr addrspace(5) %lock.addr to ptr
  %sum.addr.ascast = addrspacecast ptr addrspace(5) %sum.addr to ptr
  %mine.ascast = addrspacecast ptr addrspace(5) %mine to ptr
  %done.ascast = addrspacecast ptr addrspace(5) %done to ptr
  %.atomictmp.ascast = addrspacecast ptr addrspace(5) %.atomictmp to ptr
  %atomic-temp.ascast = addrspacecast ptr addrspace(5) %atomic-temp to ptr
  %.atomictmp5.ascast = addrspacecast ptr addrspace(5) %.atomictmp5 to ptr
  store ptr addrspace(1) %lock.coerce, ptr %lock.ascast, align 8
  %lock1 = load ptr, ptr %lock.ascast, align 8
  store ptr addrspace(1) %sum.coerce, ptr %sum.ascast, align 8
  %sum2 = load ptr, ptr %sum.ascast, align 8
  store ptr %lock1, ptr %lock.addr.ascast, align 8
  store ptr %sum2, ptr %sum.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workgroup.id.x()
  %1 = call align 8 dereferenceable(256) ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %2 = getelementptr i8, ptr addrspace(4) %1, i32 12
  %3 = load i16, ptr addrspace(4) %2, align 2, !range !6, !invariant.load !7, !noundef !7
  %conv = zext i16 %3 to i32
  %mul = mul i32 %0, %conv
  %4 = call i32 @llvm.amdgcn.workitem.id.x()
  %add = add i32 %mul, %4
  %add3 = add i32 %add, 1
  store i32 %add3, ptr %mine.ascast, align 4
  store i8 0, ptr %done.ascast, align 1
  br label %while.cond

while.cond:                                       ; preds = %if.end, %entry
  %5 = load i8, ptr %done.ascast, align 1
  %loadedv = trunc i8 %5 to i1
  %lnot = xor i1 %loadedv, true
  br i1 %lnot, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %6 = load ptr, ptr %lock.addr.ascast, align 8
  store i32 1, ptr %.atomictmp.ascast, align 4
  %7 = load i32, ptr %.atomictmp.ascast, align 4
  %8 = atomicrmw xchg ptr %6, i32 %7 syncscope("agent") acquire, align 4, !amdgpu.no.fine.grained.memory !7, !amdgpu.no.remote.memory !7
  store i32 %8, ptr %atomic-temp.ascast, align 4
  %9 = load i32, ptr %atomic-temp.ascast, align 4
  %cmp = icmp eq i32 %9, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %while.body
  %10 = load i32, ptr %mine.ascast, align 4
  %11 = load ptr, ptr %sum.addr.ascast, align 8
  %12 = load i32, ptr %11, align 4
  %add4 = add nsw i32 %12, %10
  store i32 %add4, ptr %11, align 4
  %13 = load ptr, ptr %lock.addr.ascast, align 8
  store i32 0, ptr %.atomictmp5.ascast, align 4
  %14 = load i32, ptr %.atomictmp5.ascast, align 4
  store atomic i32 %14, ptr %13 syncscope("agent") release, align 4
  store i8 1, ptr %done.ascast, align 1
  br label %if.end

if.end:                                           ; preds = %if.then, %while.body
  br label %while.cond, !llvm.loop !8

while.end:                                        ; preds = %while.cond
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef align 4 ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "amdgpu-flat-work-group-size"="1,1024" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+atomic-fmin-fmax-global-f32,+atomic-fmin-fmax-global-f64,+ci-insts,+cube-insts,+cvt-pknorm-vop2-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+lerp-inst,+qsad-insts,+s-memrealtime,+s-memtime-inst,+sad-insts,+wavefrontsize32" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

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
