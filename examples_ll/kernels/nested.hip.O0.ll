; clang-22 -x hip --offload-arch=gfx1030 --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none -fno-discard-value-names -emit-llvm -S -O0 nested.hip -o nested.hip.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 32 --subgroup-size 32
; CONVCHECK: --buffer %outer=i32[32]:3,2,2,1,1,0,0,0,0,3,2,3,2,2,3,2,2,2,2,3,1,3,2,0,1,3,2,0,3,2,3,0
; CONVCHECK: --buffer %inner=i32[32]:0,3,0,2,0,1,1,1,1,0,0,0,0,2,2,2,1,2,3,1,1,3,3,3,1,2,3,2,3,2,2,1
; CONVCHECK: --buffer %out=i32[32]
; CONVCHECK: --show %out
; CHECK: %out = i32[32]: 3400, 2572, 2500, 2532, 2500, 0, 0, 0, 0, 3400, 2500, 3400, 2500, 2560, 3471, 2560, 2533, 2560, 2572, 3439, 2518, 3485, 2572, 0, 2518, 3471, 2572, 0, 3485, 2560, 3471, 0

source_filename = "nested.hip"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

$_Z6ballotb = comdat any

@__hip_cuid_ = addrspace(1) global i8 0
@llvm.compiler.used = appending addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__hip_cuid_ to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define protected amdgpu_kernel void @nested(ptr addrspace(1) noundef %outer.coerce, ptr addrspace(1) noundef %inner.coerce, ptr addrspace(1) noundef %out.coerce) #0 {
entry:
  %outer = alloca ptr, align 8, addrspace(5)
  %inner = alloca ptr, align 8, addrspace(5)
  %out = alloca ptr, align 8, addrspace(5)
  %outer.addr = alloca ptr, align 8, addrspace(5)
  %inner.addr = alloca ptr, align 8, addrspace(5)
  %out.addr = alloca ptr, align 8, addrspace(5)
  %id = alloca i32, align 4, addrspace(5)
  %votes = alloca i32, align 4, addrspace(5)
  %i = alloca i32, align 4, addrspace(5)
  %j = alloca i32, align 4, addrspace(5)
  %outer.ascast = addrspacecast ptr addrspace(5) %outer to ptr
  %inner.ascast = addrspacecast ptr addrspace(5) %inner to ptr
  %out.ascast = addrspacecast ptr addrspace(5) %out to ptr
  %outer.addr.ascast = addrspacecast ptr addrspace(5) %outer.addr to ptr
  %inner.addr.ascast = addrspacecast ptr addrspace(5) %inner.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %id.ascast = addrspacecast ptr addrspace(5) %id to ptr
  %votes.ascast = addrspacecast ptr addrspace(5) %votes to ptr
  %i.ascast = addrspacecast ptr addrspace(5) %i to ptr
  %j.ascast = addrspacecast ptr addrspace(5) %j to ptr
  store ptr addrspace(1) %outer.coerce, ptr %outer.ascast, align 8
  %outer1 = load ptr, ptr %outer.ascast, align 8
  store ptr addrspace(1) %inner.coerce, ptr %inner.ascast, align 8
  %inner2 = load ptr, ptr %inner.ascast, align 8
  store ptr addrspace(1) %out.coerce, ptr %out.ascast, align 8
  %out3 = load ptr, ptr %out.ascast, align 8
  store ptr %outer1, ptr %outer.addr.ascast, align 8
  store ptr %inner2, ptr %inner.addr.ascast, align 8
  store ptr %out3, ptr %out.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workgroup.id.x()
  %1 = call align 8 dereferenceable(256) ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %2 = getelementptr i8, ptr addrspace(4) %1, i32 12
  %3 = load i16, ptr addrspace(4) %2, align 2, !range !6, !invariant.load !7, !noundef !7
  %conv = zext i16 %3 to i32
  %mul = mul i32 %0, %conv
  %4 = call i32 @llvm.amdgcn.workitem.id.x()
  %add = add i32 %mul, %4
  store i32 %add, ptr %id.ascast, align 4
  store i32 0, ptr %votes.ascast, align 4
  store i32 0, ptr %i.ascast, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc14, %entry
  %5 = load i32, ptr %i.ascast, align 4
  %6 = load ptr, ptr %outer.addr.ascast, align 8
  %7 = load i32, ptr %id.ascast, align 4
  %idxprom = zext i32 %7 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr %6, i64 %idxprom
  %8 = load i32, ptr %arrayidx, align 4
  %cmp = icmp slt i32 %5, %8
  br i1 %cmp, label %for.body, label %for.end16

for.body:                                         ; preds = %for.cond
  store i32 0, ptr %j.ascast, align 4
  br label %for.cond4

for.cond4:                                        ; preds = %for.inc, %for.body
  %9 = load i32, ptr %j.ascast, align 4
  %10 = load ptr, ptr %inner.addr.ascast, align 8
  %11 = load i32, ptr %id.ascast, align 4
  %idxprom5 = zext i32 %11 to i64
  %arrayidx6 = getelementptr inbounds nuw i32, ptr %10, i64 %idxprom5
  %12 = load i32, ptr %arrayidx6, align 4
  %cmp7 = icmp slt i32 %9, %12
  br i1 %cmp7, label %for.body8, label %for.end

for.body8:                                        ; preds = %for.cond4
  %call = call noundef i32 @_Z6ballotb(i1 noundef zeroext true) #5
  %13 = call i32 @llvm.ctpop.i32(i32 %call)
  %14 = load i32, ptr %votes.ascast, align 4
  %add9 = add nsw i32 %14, %13
  store i32 %add9, ptr %votes.ascast, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body8
  %15 = load i32, ptr %j.ascast, align 4
  %inc = add nsw i32 %15, 1
  store i32 %inc, ptr %j.ascast, align 4
  br label %for.cond4, !llvm.loop !8

for.end:                                          ; preds = %for.cond4
  %16 = load i32, ptr %i.ascast, align 4
  %rem = srem i32 %16, 2
  %cmp10 = icmp eq i32 %rem, 0
  %call11 = call noundef i32 @_Z6ballotb(i1 noundef zeroext %cmp10) #5
  %17 = call i32 @llvm.ctpop.i32(i32 %call11)
  %mul12 = mul nsw i32 100, %17
  %18 = load i32, ptr %votes.ascast, align 4
  %add13 = add nsw i32 %18, %mul12
  store i32 %add13, ptr %votes.ascast, align 4
  br label %for.inc14

for.inc14:                                        ; preds = %for.end
  %19 = load i32, ptr %i.ascast, align 4
  %inc15 = add nsw i32 %19, 1
  store i32 %inc15, ptr %i.ascast, align 4
  br label %for.cond, !llvm.loop !10

for.end16:                                        ; preds = %for.cond
  %20 = load i32, ptr %votes.ascast, align 4
  %21 = load ptr, ptr %out.addr.ascast, align 8
  %22 = load i32, ptr %id.ascast, align 4
  %idxprom17 = zext i32 %22 to i64
  %arrayidx18 = getelementptr inbounds nuw i32, ptr %21, i64 %idxprom17
  store i32 %20, ptr %arrayidx18, align 4
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
!10 = distinct !{!10, !9}
