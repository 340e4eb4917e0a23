; clang-22 -x hlsl -target dxil-pc-shadermodel6.6-compute -fno-discard-value-names -emit-llvm -S -O2 bitonic.hlsl -o bitonic.hlsl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 16
; CONVCHECK: --buffer u0=u32[16]:3653403231,2735729615,2195314465,1158725112,1322117304,175979945,323153949,70985654,752767291,3492969080,2789219406,3920255353,2163061375,2605480817,4169308741,3133163871
; CONVCHECK: --show u0
; CHECK: u0 = u32[16]: 70985654, 175979945, 323153949, 752767291, 1158725112, 1322117304, 2163061375, 2195314465, 2605480817, 2735729615, 2789219406, 3133163871, 3492969080, 3653403231, 3920255353, 4169308741

source_filename = "bitonic.hlsl"
target datalayout = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64-v48:16:16-v96:32:32-v192:64:64"
target triple = "dxilv1.6-pc-shadermodel6.6-compute"

@.str = private unnamed_addr constant [5 x i8] c"Data\00", align 1
@Tile = hidden local_unnamed_addr addrspace(3) global [16 x i32] zeroinitializer, align 4

; Function Attrs: convergent mustprogress nofree noinline norecurse nosync nounwind willreturn
define void @main() local_unnamed_addr #0 {
entry:
  %0 = tail call target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str)
  %1 = tail call i32 @llvm.dx.flattened.thread.id.in.group()
  %2 = tail call i32 @llvm.dx.thread.id(i32 0)
  %3 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %0, i32 %2)
  %4 = load i32, ptr %3, align 4, !tbaa !4
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(3) @Tile, i32 %1
  store i32 %4, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %and.i = and i32 %1, 2
  %cmp7.i = icmp eq i32 %and.i, 0
  %xor.i = xor i32 %1, 1
  %5 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %arrayidx6.i = getelementptr inbounds nuw i32, ptr addrspace(3) @Tile, i32 %xor.i
  %6 = load i32, ptr addrspace(3) %arrayidx6.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %7 = icmp ult i32 %xor.i, %1
  %cmp9.i = xor i1 %cmp7.i, %7
  %elt.min.i = tail call i32 @llvm.umin.i32(i32 %5, i32 %6)
  %elt.max.i = tail call i32 @llvm.umax.i32(i32 %5, i32 %6)
  %cond.i = select i1 %cmp9.i, i32 %elt.min.i, i32 %elt.max.i
  store i32 %cond.i, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %and.i.1 = and i32 %1, 4
  %cmp7.i.1 = icmp eq i32 %and.i.1, 0
  %xor.i.1 = xor i32 %1, 2
  %8 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %arrayidx6.i.1 = getelementptr inbounds nuw i32, ptr addrspace(3) @Tile, i32 %xor.i.1
  %9 = load i32, ptr addrspace(3) %arrayidx6.i.1, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %10 = icmp ult i32 %xor.i.1, %1
  %cmp9.i.1 = xor i1 %cmp7.i.1, %10
  %elt.min.i.1 = tail call i32 @llvm.umin.i32(i32 %8, i32 %9)
  %elt.max.i.1 = tail call i32 @llvm.umax.i32(i32 %8, i32 %9)
  %cond.i.1 = select i1 %cmp9.i.1, i32 %elt.min.i.1, i32 %elt.max.i.1
  store i32 %cond.i.1, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %11 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %12 = load i32, ptr addrspace(3) %arrayidx6.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %cmp9.i.1.1 = xor i1 %cmp7.i.1, %7
  %elt.min.i.1.1 = tail call i32 @llvm.umin.i32(i32 %11, i32 %12)
  %elt.max.i.1.1 = tail call i32 @llvm.umax.i32(i32 %11, i32 %12)
  %cond.i.1.1 = select i1 %cmp9.i.1.1, i32 %elt.min.i.1.1, i32 %elt.max.i.1.1
  store i32 %cond.i.1.1, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %and.i.2 = and i32 %1, 8
  %cmp7.i.2 = icmp eq i32 %and.i.2, 0
  %xor.i.2 = xor i32 %1, 4
  %13 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %arrayidx6.i.2 = getelementptr inbounds nuw i32, ptr addrspace(3) @Tile, i32 %xor.i.2
  %14 = load i32, ptr addrspace(3) %arrayidx6.i.2, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %15 = icmp ult i32 %xor.i.2, %1
  %cmp9.i.2 = xor i1 %cmp7.i.2, %15
  %elt.min.i.2 = tail call i32 @llvm.umin.i32(i32 %13, i32 %14)
  %elt.max.i.2 = tail call i32 @llvm.umax.i32(i32 %13, i32 %14)
  %cond.i.2 = select i1 %cmp9.i.2, i32 %elt.min.i.2, i32 %elt.max.i.2
  store i32 %cond.i.2, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %16 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %17 = load i32, ptr addrspace(3) %arrayidx6.i.1, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %cmp9.i.2.1 = xor i1 %cmp7.i.2, %10
  %elt.min.i.2.1 = tail call i32 @llvm.umin.i32(i32 %16, i32 %17)
  %elt.max.i.2.1 = tail call i32 @llvm.umax.i32(i32 %16, i32 %17)
  %cond.i.2.1 = select i1 %cmp9.i.2.1, i32 %elt.min.i.2.1, i32 %elt.max.i.2.1
  store i32 %cond.i.2.1, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %18 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %19 = load i32, ptr addrspace(3) %arrayidx6.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %cmp9.i.2.2 = xor i1 %cmp7.i.2, %7
  %elt.min.i.2.2 = tail call i32 @llvm.umin.i32(i32 %18, i32 %19)
  %elt.max.i.2.2 = tail call i32 @llvm.umax.i32(i32 %18, i32 %19)
  %cond.i.2.2 = select i1 %cmp9.i.2.2, i32 %elt.min.i.2.2, i32 %elt.max.i.2.2
  store i32 %cond.i.2.2, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %and.i.3 = and i32 %1, 16
  %cmp7.i.3 = icmp eq i32 %and.i.3, 0
  %xor.i.3 = xor i32 %1, 8
  %20 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %arrayidx6.i.3 = getelementptr inbounds nuw i32, ptr addrspace(3) @Tile, i32 %xor.i.3
  %21 = load i32, ptr addrspace(3) %arrayidx6.i.3, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %22 = icmp ult i32 %xor.i.3, %1
  %cmp9.i.3 = xor i1 %cmp7.i.3, %22
  %elt.min.i.3 = tail call i32 @llvm.umin.i32(i32 %20, i32 %21)
  %elt.max.i.3 = tail call i32 @llvm.umax.i32(i32 %20, i32 %21)
  %cond.i.3 = select i1 %cmp9.i.3, i32 %elt.min.i.3, i32 %elt.max.i.3
  store i32 %cond.i.3, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %23 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %24 = load i32, ptr addrspace(3) %arrayidx6.i.2, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %cmp9.i.3.1 = xor i1 %cmp7.i.3, %15
  %elt.min.i.3.1 = tail call i32 @llvm.umin.i32(i32 %23, i32 %24)
  %elt.max.i.3.1 = tail call i32 @llvm.umax.i32(i32 %23, i32 %24)
  %cond.i.3.1 = select i1 %cmp9.i.3.1, i32 %elt.min.i.3.1, i32 %elt.max.i.3.1
  store i32 %cond.i.3.1, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %25 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %26 = load i32, ptr addrspace(3) %arrayidx6.i.1, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %cmp9.i.3.2 = xor i1 %cmp7.i.3, %10
  %elt.min.i.3.2 = tail call i32 @llvm.umin.i32(i32 %25, i32 %26)
  %elt.max.i.3.2 = tail call i32 @llvm.umax.i32(i32 %25, i32 %26)
  %cond.i.3.2 = select i1 %cmp9.i.3.2, i32 %elt.min.i.3.2, i32 %elt.max.i.3.2
  store i32 %cond.i.3.2, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %27 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %28 = load i32, ptr addrspace(3) %arrayidx6.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %cmp9.i.3.3 = xor i1 %cmp7.i.3, %7
  %elt.min.i.3.3 = tail call i32 @llvm.umin.i32(i32 %27, i32 %28)
  %elt.max.i.3.3 = tail call i32 @llvm.umax.i32(i32 %27, i32 %28)
  %cond.i.3.3 = select i1 %cmp9.i.3.3, i32 %elt.min.i.3.3, i32 %elt.max.i.3.3
  store i32 %cond.i.3.3, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %29 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  store i32 %29, ptr %3, align 4, !tbaa !4
  ret void
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.dx.flattened.thread.id.in.group() #1

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.dx.thread.id(i32) #1

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn
declare void @llvm.dx.group.memory.barrier.with.group.sync() #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umax.i32(i32, i32) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32, i32, i32, i32, ptr) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0), i32) #4

attributes #0 = { convergent mustprogress nofree noinline norecurse nosync nounwind willreturn "frame-pointer"="all" "hlsl.numthreads"="16,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #2 = { convergent mustprogress nocallback nofree nosync nounwind willreturn }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }

!llvm.module.flags = !{!0, !1}
!dx.valver = !{!2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 1, i32 8}
!3 = !{!"clang version 22.1.8"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C++ TBAA"}
