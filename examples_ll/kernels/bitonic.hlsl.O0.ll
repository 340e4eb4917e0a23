; clang-22 -x hlsl -target dxil-pc-shadermodel6.6-compute -fno-discard-value-names -emit-llvm -S -O0 bitonic.hlsl -o bitonic.hlsl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 16
; CONVCHECK: --buffer u0=u32[16]:3653403231,2735729615,2195314465,1158725112,1322117304,175979945,323153949,70985654,752767291,3492969080,2789219406,3920255353,2163061375,2605480817,4169308741,3133163871
; CONVCHECK: --show u0
; CHECK: u0 = u32[16]: 70985654, 175979945, 323153949, 752767291, 1158725112, 1322117304, 2163061375, 2195314465, 2605480817, 2735729615, 2789219406, 3133163871, 3492969080, 3653403231, 3920255353, 4169308741

source_filename = "bitonic.hlsl"
target datalayout = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64-v48:16:16-v96:32:32-v192:64:64"
target triple = "dxilv1.6-pc-shadermodel6.6-compute"

%"class.hlsl::RWStructuredBuffer" = type { target("dx.RawBuffer", i32, 1, 0), target("dx.RawBuffer", i32, 1, 0) }

@_ZL4Data = internal global %"class.hlsl::RWStructuredBuffer" poison, align 4
@.str = private unnamed_addr constant [5 x i8] c"Data\00", align 1
@Tile = hidden addrspace(3) global [16 x i32] zeroinitializer, align 4

; Function Attrs: convergent noinline norecurse optnone
define void @main() #0 {
entry:
  %this.addr.i1.i = alloca ptr, align 4
  %other.addr.i.i = alloca ptr, align 4
  %this.addr.i.i = alloca ptr, align 4
  %result.ptr.i.i = alloca ptr, align 4
  %registerNo.addr.i.i = alloca i32, align 4
  %spaceNo.addr.i.i = alloca i32, align 4
  %range.addr.i.i = alloca i32, align 4
  %index.addr.i.i = alloca i32, align 4
  %name.addr.i.i = alloca ptr, align 4
  %counterOrderId.addr.i.i = alloca i32, align 4
  %tmp.i.i = alloca %"class.hlsl::RWStructuredBuffer", align 4
  %this.addr.i1 = alloca ptr, align 4
  %Index.addr.i2 = alloca i32, align 4
  %this.addr.i = alloca ptr, align 4
  %Index.addr.i = alloca i32, align 4
  %me.addr.i = alloca i32, align 4
  %id.addr.i = alloca <3 x i32>, align 16
  %size.i = alloca i32, align 4
  %stride.i = alloca i32, align 4
  %other.i = alloca i32, align 4
  %mine.i = alloca i32, align 4
  %its.i = alloca i32, align 4
  %low.i = alloca i32, align 4
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  store ptr @_ZL4Data, ptr %result.ptr.i.i, align 4, !noalias !4
  store i32 0, ptr %registerNo.addr.i.i, align 4, !noalias !4
  store i32 0, ptr %spaceNo.addr.i.i, align 4, !noalias !4
  store i32 1, ptr %range.addr.i.i, align 4, !noalias !4
  store i32 0, ptr %index.addr.i.i, align 4, !noalias !4
  store ptr @.str, ptr %name.addr.i.i, align 4, !noalias !4
  store i32 0, ptr %counterOrderId.addr.i.i, align 4, !noalias !4
  store ptr %tmp.i.i, ptr %this.addr.i.i, align 4
  %this1.i.i = load ptr, ptr %this.addr.i.i, align 4
  store target("dx.RawBuffer", i32, 1, 0) poison, ptr %this1.i.i, align 4
  %0 = load i32, ptr %registerNo.addr.i.i, align 4, !noalias !4
  %1 = load i32, ptr %spaceNo.addr.i.i, align 4, !noalias !4
  %2 = load i32, ptr %range.addr.i.i, align 4, !noalias !4
  %3 = load i32, ptr %index.addr.i.i, align 4, !noalias !4
  %4 = load ptr, ptr %name.addr.i.i, align 4, !noalias !4
  %5 = call target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32 %1, i32 %0, i32 %2, i32 %3, ptr %4)
  store target("dx.RawBuffer", i32, 1, 0) %5, ptr %tmp.i.i, align 4, !noalias !4
  %6 = load target("dx.RawBuffer", i32, 1, 0), ptr %tmp.i.i, align 4, !noalias !4
  %__counter_handle.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %tmp.i.i, i32 0, i32 1
  store target("dx.RawBuffer", i32, 1, 0) %6, ptr %__counter_handle.i.i, align 4, !noalias !4
  store ptr @_ZL4Data, ptr %this.addr.i1.i, align 4
  store ptr %tmp.i.i, ptr %other.addr.i.i, align 4
  %this1.i2.i = load ptr, ptr %this.addr.i1.i, align 4
  %7 = load ptr, ptr %other.addr.i.i, align 4, !nonnull !7, !align !8
  %8 = load target("dx.RawBuffer", i32, 1, 0), ptr %7, align 4
  store target("dx.RawBuffer", i32, 1, 0) %8, ptr %this1.i2.i, align 4
  %9 = load ptr, ptr %other.addr.i.i, align 4, !nonnull !7, !align !8
  %__counter_handle.i3.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %9, i32 0, i32 1
  %10 = load target("dx.RawBuffer", i32, 1, 0), ptr %__counter_handle.i3.i, align 4
  %__counter_handle3.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %this1.i2.i, i32 0, i32 1
  store target("dx.RawBuffer", i32, 1, 0) %10, ptr %__counter_handle3.i.i, align 4
  %11 = call i32 @llvm.dx.flattened.thread.id.in.group()
  %12 = call i32 @llvm.dx.thread.id(i32 0)
  %13 = insertelement <3 x i32> poison, i32 %12, i64 0
  %14 = call i32 @llvm.dx.thread.id(i32 1)
  %15 = insertelement <3 x i32> %13, i32 %14, i64 1
  %16 = call i32 @llvm.dx.thread.id(i32 2)
  %17 = insertelement <3 x i32> %15, i32 %16, i64 2
  store i32 %11, ptr %me.addr.i, align 4
  store <3 x i32> %17, ptr %id.addr.i, align 16
  %18 = load <3 x i32>, ptr %id.addr.i, align 16
  %19 = extractelement <3 x i32> %18, i32 0
  store ptr @_ZL4Data, ptr %this.addr.i1, align 4
  store i32 %19, ptr %Index.addr.i2, align 4
  %this1.i3 = load ptr, ptr %this.addr.i1, align 4
  %20 = load target("dx.RawBuffer", i32, 1, 0), ptr %this1.i3, align 4
  %21 = load i32, ptr %Index.addr.i2, align 4
  %22 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %20, i32 %21)
  %23 = load i32, ptr %22, align 4
  %24 = load i32, ptr %me.addr.i, align 4
  %arrayidx.i = getelementptr inbounds nuw [16 x i32], ptr addrspace(3) @Tile, i32 0, i32 %24
  store i32 %23, ptr addrspace(3) %arrayidx.i, align 4
  call void @llvm.dx.group.memory.barrier.with.group.sync()
  store i32 2, ptr %size.i, align 4
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.end.i, %entry
  %25 = load i32, ptr %size.i, align 4
  %cmp.i = icmp ule i32 %25, 16
  br i1 %cmp.i, label %for.body.i, label %_Z4mainjDv3_j.exit

for.body.i:                                       ; preds = %for.cond.i
  %26 = load i32, ptr %size.i, align 4
  %shr.i = lshr i32 %26, 1
  store i32 %shr.i, ptr %stride.i, align 4
  br label %for.cond1.i

for.cond1.i:                                      ; preds = %cond.end.i, %for.body.i
  %27 = load i32, ptr %stride.i, align 4
  %cmp2.i = icmp ugt i32 %27, 0
  br i1 %cmp2.i, label %for.body3.i, label %for.end.i

for.body3.i:                                      ; preds = %for.cond1.i
  %28 = load i32, ptr %me.addr.i, align 4
  %29 = load i32, ptr %stride.i, align 4
  %xor.i = xor i32 %28, %29
  store i32 %xor.i, ptr %other.i, align 4
  %30 = load i32, ptr %me.addr.i, align 4
  %arrayidx4.i = getelementptr inbounds nuw [16 x i32], ptr addrspace(3) @Tile, i32 0, i32 %30
  %31 = load i32, ptr addrspace(3) %arrayidx4.i, align 4
  store i32 %31, ptr %mine.i, align 4
  %32 = load i32, ptr %other.i, align 4
  %arrayidx5.i = getelementptr inbounds nuw [16 x i32], ptr addrspace(3) @Tile, i32 0, i32 %32
  %33 = load i32, ptr addrspace(3) %arrayidx5.i, align 4
  store i32 %33, ptr %its.i, align 4
  call void @llvm.dx.group.memory.barrier.with.group.sync()
  %34 = load i32, ptr %me.addr.i, align 4
  %35 = load i32, ptr %size.i, align 4
  %and.i = and i32 %34, %35
  %cmp6.i = icmp eq i32 %and.i, 0
  %36 = load i32, ptr %me.addr.i, align 4
  %37 = load i32, ptr %other.i, align 4
  %cmp7.i = icmp ult i32 %36, %37
  %cmp8.i = icmp eq i1 %cmp6.i, %cmp7.i
  %storedv.i = zext i1 %cmp8.i to i32
  store i32 %storedv.i, ptr %low.i, align 4
  %38 = load i32, ptr %low.i, align 4
  %loadedv.i = trunc i32 %38 to i1
  br i1 %loadedv.i, label %cond.true.i, label %cond.false.i

cond.true.i:                                      ; preds = %for.body3.i
  %39 = load i32, ptr %mine.i, align 4
  %40 = load i32, ptr %its.i, align 4
  %elt.min.i = call i32 @llvm.umin.i32(i32 %39, i32 %40)
  br label %cond.end.i

cond.false.i:                                     ; preds = %for.body3.i
  %41 = load i32, ptr %mine.i, align 4
  %42 = load i32, ptr %its.i, align 4
  %elt.max.i = call i32 @llvm.umax.i32(i32 %41, i32 %42)
  br label %cond.end.i

cond.end.i:                                       ; preds = %cond.false.i, %cond.true.i
  %cond.i = phi i32 [ %elt.min.i, %cond.true.i ], [ %elt.max.i, %cond.false.i ]
  %43 = load i32, ptr %me.addr.i, align 4
  %arrayidx9.i = getelementptr inbounds nuw [16 x i32], ptr addrspace(3) @Tile, i32 0, i32 %43
  store i32 %cond.i, ptr addrspace(3) %arrayidx9.i, align 4
  call void @llvm.dx.group.memory.barrier.with.group.sync()
  %44 = load i32, ptr %stride.i, align 4
  %shr10.i = lshr i32 %44, 1
  store i32 %shr10.i, ptr %stride.i, align 4
  br label %for.cond1.i, !llvm.loop !9

for.end.i:                                        ; preds = %for.cond1.i
  %45 = load i32, ptr %size.i, align 4
  %shl.i = shl i32 %45, 1
  store i32 %shl.i, ptr %size.i, align 4
  br label %for.cond.i, !llvm.loop !11

_Z4mainjDv3_j.exit:                               ; preds = %for.cond.i
  %46 = load i32, ptr %me.addr.i, align 4
  %arrayidx13.i = getelementptr inbounds nuw [16 x i32], ptr addrspace(3) @Tile, i32 0, i32 %46
  %47 = load i32, ptr addrspace(3) %arrayidx13.i, align 4
  %48 = load <3 x i32>, ptr %id.addr.i, align 16
  %49 = extractelement <3 x i32> %48, i32 0
  store ptr @_ZL4Data, ptr %this.addr.i, align 4
  store i32 %49, ptr %Index.addr.i, align 4
  %this1.i = load ptr, ptr %this.addr.i, align 4
  %50 = load target("dx.RawBuffer", i32, 1, 0), ptr %this1.i, align 4
  %51 = load i32, ptr %Index.addr.i, align 4
  %52 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %50, i32 %51)
  store i32 %47, ptr %52, align 4
  ret void
}

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.dx.flattened.thread.id.in.group() #1

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.dx.thread.id(i32) #1

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn
declare void @llvm.dx.group.memory.barrier.with.group.sync() #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umax.i32(i32, i32) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32, i32, i32, i32, ptr) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0), i32) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @llvm.experimental.noalias.scope.decl(metadata) #5

attributes #0 = { convergent noinline norecurse optnone "frame-pointer"="all" "hlsl.numthreads"="16,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { nounwind willreturn memory(none) }
attributes #2 = { convergent nocallback nofree nosync nounwind willreturn }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }

!llvm.module.flags = !{!0, !1}
!dx.valver = !{!2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 1, i32 8}
!3 = !{!"clang version 22.1.8"}
!4 = !{!5}
!5 = distinct !{!5, !6, !"_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!6 = distinct !{!6, !"_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj"}
!7 = !{}
!8 = !{i64 4}
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.mustprogress"}
!11 = distinct !{!11, !10}
