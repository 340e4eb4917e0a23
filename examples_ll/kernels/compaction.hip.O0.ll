; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O0 compaction.hip -o compaction.hip.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 32 --subgroup-size 32
; CONVCHECK: --buffer %in=i32[64]:35,0,1,-24,-20,-46,0,0,0,0,14,41,0,10,47,0,13,4,0,0,-23,31,17,0,-11,0,0,-47,0,0,34,-33,0,0,0,4,0,-21,0,0,-10,-48,0,0,-50,0,2,0,-25,0,26,-12,-4,0,30,0,-13,0,45,0,34,0,20,-12
; CONVCHECK: --buffer %out=i32[64]
; CONVCHECK: --buffer %size=i32[1]
; CONVCHECK: --show %out
; CONVCHECK: --show %size
; CHECK: %size = i32[1]: 34

source_filename = "compaction.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

$_Z6ballotb = comdat any

$_Z4lanev = comdat any

$_Z9atomicAddPii = comdat any

$_Z5belowj = comdat any

@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define protected amdgpu_kernel void @compaction(ptr addrspace(1) noundef %in.coerce, ptr addrspace(1) noundef %out.coerce, ptr addrspace(1) noundef %size.coerce) #0 {
entry:
  %in = alloca ptr, align 8, addrspace(5)
  %out = alloca ptr, align 8, addrspace(5)
  %size = alloca ptr, align 8, addrspace(5)
  %in.addr = alloca ptr, align 8, addrspace(5)
  %out.addr = alloca ptr, align 8, addrspace(5)
  %size.addr = alloca ptr, align 8, addrspace(5)
  %value = alloca i32, align 4, addrspace(5)
  %keep = alloca i32, align 4, addrspace(5)
  %first = alloca i32, align 4, addrspace(5)
  %in.ascast = addrspacecast ptr addrspace(5) %in to ptr
  %out.ascast = addrspacecast ptr addrspace(5) %out to ptr
  %size.ascast = addrspacecast ptr addrspace(5) %size to ptr
  %in.addr.ascast = addrspacecast ptr addrspace(5) %in.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %size.addr.ascast = addrspacecast ptr addrspace(5) %size.addr to ptr
  %value.ascast = addrspacecast ptr addrspace(5) %value to ptr
  %keep.ascast = addrspacecast ptr addrspace(5) %keep to ptr
  %first.ascast = addrspacecast ptr addrspace(5) %first to ptr
  store ptr addrspace(1) %in.coerce, ptr %in.ascast, align 8
  %in1 = load ptr, ptr %in.ascast, align 8
  store ptr addrspace(1) %out.coerce, ptr %out.ascast, align 8
  %out2 = load ptr, ptr %out.ascast, align 8
  store ptr addrspace(1) %size.coerce, ptr %size.ascast, align 8
  %size3 = load ptr, ptr %size.ascast, align 8
  store ptr %in1, ptr %in.addr.ascast, align 8
  store ptr %out2, ptr %out.addr.ascast, align 8
  store ptr %size3, ptr %size.addr.ascast, align 8
  %0 = load ptr, ptr %in.addr.ascast, align 8
  %1 = call i32 @llvm.amdgcn.workgroup.id.x()
  %2 = call align 8 dereferenceable(256) ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %3 = getelementptr i8, ptr addrspace(4) %2, i32 12
  %4 = load i16, ptr addrspace(4) %3, align 2, !range !6, !invariant.load !7, !noundef !7
  %conv = zext i16 %4 to i32
  %mul = mul i32 %1, %conv
  %5 = call i32 @llvm.amdgcn.workitem.id.x()
  %add = add i32 %mul, %5
  %idxprom = zext i32 %add to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr %0, i64 %idxprom
  %6 = load i32, ptr %arrayidx, align 4
  store i32 %6, ptr %value.ascast, align 4
  %7 = load i32, ptr %value.ascast, align 4
  %cmp = icmp ne i32 %7, 0
  %call = call noundef i32 @_Z6ballotb(i1 noundef zeroext %cmp) #6
  store i32 %call, ptr %keep.ascast, align 4
  store i32 0, ptr %first.ascast, align 4
  %call4 = call noundef i32 @_Z4lanev() #6
  %cmp5 = icmp eq i32 %call4, 0
  br i1 %cmp5, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %8 = load ptr, ptr %size.addr.ascast, align 8
  %9 = load i32, ptr %keep.ascast, align 4
  %10 = call i32 @llvm.ctpop.i32(i32 %9)
  %call6 = call noundef i32 @_Z9atomicAddPii(ptr noundef %8, i32 noundef %10) #6
  store i32 %call6, ptr %first.ascast, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %11 = load i32, ptr %first.ascast, align 4
  %12 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %11)
  store i32 %12, ptr %first.ascast, align 4
  %13 = load i32, ptr %value.ascast, align 4
  %cmp7 = icmp ne i32 %13, 0
  br i1 %cmp7, label %if.then8, label %if.end13

if.then8:                                         ; preds = %if.end
  %14 = load i32, ptr %value.ascast, align 4
  %15 = load ptr, ptr %out.addr.ascast, align 8
  %16 = load i32, ptr %first.ascast, align 4
  %17 = load i32, ptr %keep.ascast, align 4
  %call9 = call noundef i32 @_Z5belowj(i32 noundef %17) #6
  %add10 = add i32 %16, %call9
  %idxprom11 = zext i32 %add10 to i64
  %arrayidx12 = getelementptr inbounds nuw i32, ptr %15, i64 %idxprom11
  store i32 %14, ptr %arrayidx12, align 4
  br label %if.end13

if.end13:                                         ; preds = %if.then8, %if.end
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

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr hidden noundef i32 @_Z4lanev() #2 comdat {
entry:
  %retval = alloca i32, align 4, addrspace(5)
  %retval.ascast = addrspacecast ptr addrspace(5) %retval to ptr
  %0 = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  ret i32 %0
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

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #3

; Function Attrs: convergent nocallback nocreateundeforpoison nofree nounwind willreturn memory(none)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32) #4

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr hidden noundef i32 @_Z5belowj(i32 noundef %mask) #2 comdat {
entry:
  %retval = alloca i32, align 4, addrspace(5)
  %mask.addr = alloca i32, align 4, addrspace(5)
  %retval.ascast = addrspacecast ptr addrspace(5) %retval to ptr
  %mask.addr.ascast = addrspacecast ptr addrspace(5) %mask.addr to ptr
  store i32 %mask, ptr %mask.addr.ascast, align 4
  %0 = load i32, ptr %mask.addr.ascast, align 4
  %1 = call i32 @llvm.amdgcn.mbcnt.lo(i32 %0, i32 0)
  ret i32 %1
}

; Function Attrs: convergent nocallback nocreateundeforpoison nofree nounwind willreturn memory(none)
declare i32 @llvm.amdgcn.ballot.i32(i1) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32) #5

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "amdgpu-flat-work-group-size"="1,1024" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+atomic-fmin-fmax-global-f32,+atomic-fmin-fmax-global-f64,+ci-insts,+cube-insts,+cvt-pknorm-vop2-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+lerp-inst,+qsad-insts,+s-memrealtime,+s-memtime-inst,+sad-insts,+wavefrontsize32" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+atomic-fmin-fmax-global-f32,+atomic-fmin-fmax-global-f64,+ci-insts,+cube-insts,+cvt-pknorm-vop2-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+lerp-inst,+qsad-insts,+s-memrealtime,+s-memtime-inst,+sad-insts,+wavefrontsize32" }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { convergent nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }
attributes #5 = { nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none) }
attributes #6 = { convergent nounwind }

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
