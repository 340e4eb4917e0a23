; clang-22 -x hlsl -target dxil-pc-shadermodel6.6-compute -fno-discard-value-names -emit-llvm -S -O0 scan.hlsl -o scan.hlsl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 16
; CONVCHECK: --buffer t0=i32[32]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22,13,4,5,43,-23,31,17,-50,-11,35,5,-47,26,22,34,-33
; CONVCHECK: --buffer u0=i32[32]
; CONVCHECK: --show u0
; CHECK: u0 = i32[32]: 35, 48, 49, 25, 5, -41, -84, -133, -166, -135, -121, -80, -80, -70, -23, -1, 13, 17, 22, 65, 42, 73, 90, 40, 29, 64, 69, 22, 48, 70, 104, 71

source_filename = "scan.hlsl"
target datalayout = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64-v48:16:16-v96:32:32-v192:64:64"
target triple = "dxilv1.6-pc-shadermodel6.6-compute"

%"class.hlsl::StructuredBuffer" = type { target("dx.RawBuffer", i32, 0, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("dx.RawBuffer", i32, 1, 0), target("dx.RawBuffer", i32, 1, 0) }

@_ZL2In = internal global %"class.hlsl::StructuredBuffer" poison, align 4
@.str = private unnamed_addr constant [3 x i8] c"In\00", align 1
@_ZL3Out = internal global %"class.hlsl::RWStructuredBuffer" poison, align 4
@.str.2 = private unnamed_addr constant [4 x i8] c"Out\00", align 1
@Tile = hidden addrspace(3) global [2 x [16 x i32]] zeroinitializer, align 4

; Function Attrs: convergent noinline norecurse optnone
define void @main() #0 {
entry:
  %this.addr.i12.i = alloca ptr, align 4
  %other.addr.i13.i = alloca ptr, align 4
  %this.addr.i10.i = alloca ptr, align 4
  %this.addr.i8.i = alloca ptr, align 4
  %other.addr.i.i = alloca ptr, align 4
  %this.addr.i.i = alloca ptr, align 4
  %result.ptr.i1.i = alloca ptr, align 4
  %registerNo.addr.i2.i = alloca i32, align 4
  %spaceNo.addr.i3.i = alloca i32, align 4
  %range.addr.i4.i = alloca i32, align 4
  %index.addr.i5.i = alloca i32, align 4
  %name.addr.i6.i = alloca ptr, align 4
  %counterOrderId.addr.i.i = alloca i32, align 4
  %tmp.i7.i = alloca %"class.hlsl::RWStructuredBuffer", align 4
  %result.ptr.i.i = alloca ptr, align 4
  %registerNo.addr.i.i = alloca i32, align 4
  %spaceNo.addr.i.i = alloca i32, align 4
  %range.addr.i.i = alloca i32, align 4
  %index.addr.i.i = alloca i32, align 4
  %name.addr.i.i = alloca ptr, align 4
  %tmp.i.i = alloca %"class.hlsl::StructuredBuffer", align 4
  %this.addr.i1 = alloca ptr, align 4
  %Index.addr.i2 = alloca i32, align 4
  %this.addr.i = alloca ptr, align 4
  %Index.addr.i = alloca i32, align 4
  %me.addr.i = alloca i32, align 4
  %id.addr.i = alloca <3 x i32>, align 16
  %half_.i = alloca i32, align 4
  %distance.i = alloca i32, align 4
  %sum.i = alloca i32, align 4
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  store ptr @_ZL2In, ptr %result.ptr.i.i, align 4, !noalias !4
  store i32 0, ptr %registerNo.addr.i.i, align 4, !noalias !4
  store i32 0, ptr %spaceNo.addr.i.i, align 4, !noalias !4
  store i32 1, ptr %range.addr.i.i, align 4, !noalias !4
  store i32 0, ptr %index.addr.i.i, align 4, !noalias !4
  store ptr @.str, ptr %name.addr.i.i, align 4, !noalias !4
  store ptr %tmp.i.i, ptr %this.addr.i.i, align 4
  %this1.i.i = load ptr, ptr %this.addr.i.i, align 4
  store target("dx.RawBuffer", i32, 0, 0) poison, ptr %this1.i.i, align 4
  %0 = load i32, ptr %registerNo.addr.i.i, align 4, !noalias !4
  %1 = load i32, ptr %spaceNo.addr.i.i, align 4, !noalias !4
  %2 = load i32, ptr %range.addr.i.i, align 4, !noalias !4
  %3 = load i32, ptr %index.addr.i.i, align 4, !noalias !4
  %4 = load ptr, ptr %name.addr.i.i, align 4, !noalias !4
  %5 = call target("dx.RawBuffer", i32, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_0_0t(i32 %1, i32 %0, i32 %2, i32 %3, ptr %4)
  store target("dx.RawBuffer", i32, 0, 0) %5, ptr %tmp.i.i, align 4, !noalias !4
  store ptr @_ZL2In, ptr %this.addr.i8.i, align 4
  store ptr %tmp.i.i, ptr %other.addr.i.i, align 4
  %this1.i9.i = load ptr, ptr %this.addr.i8.i, align 4
  %6 = load ptr, ptr %other.addr.i.i, align 4, !nonnull !7, !align !8
  %7 = load target("dx.RawBuffer", i32, 0, 0), ptr %6, align 4
  store target("dx.RawBuffer", i32, 0, 0) %7, ptr %this1.i9.i, align 4
  call void @llvm.experimental.noalias.scope.decl(metadata !9)
  store ptr @_ZL3Out, ptr %result.ptr.i1.i, align 4, !noalias !9
  store i32 0, ptr %registerNo.addr.i2.i, align 4, !noalias !9
  store i32 0, ptr %spaceNo.addr.i3.i, align 4, !noalias !9
  store i32 1, ptr %range.addr.i4.i, align 4, !noalias !9
  store i32 0, ptr %index.addr.i5.i, align 4, !noalias !9
  store ptr @.str.2, ptr %name.addr.i6.i, align 4, !noalias !9
  store i32 0, ptr %counterOrderId.addr.i.i, align 4, !noalias !9
  store ptr %tmp.i7.i, ptr %this.addr.i10.i, align 4
  %this1.i11.i = load ptr, ptr %this.addr.i10.i, align 4
  store target("dx.RawBuffer", i32, 1, 0) poison, ptr %this1.i11.i, align 4
  %8 = load i32, ptr %registerNo.addr.i2.i, align 4, !noalias !9
  %9 = load i32, ptr %spaceNo.addr.i3.i, align 4, !noalias !9
  %10 = load i32, ptr %range.addr.i4.i, align 4, !noalias !9
  %11 = load i32, ptr %index.addr.i5.i, align 4, !noalias !9
  %12 = load ptr, ptr %name.addr.i6.i, align 4, !noalias !9
  %13 = call target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32 %9, i32 %8, i32 %10, i32 %11, ptr %12)
  store target("dx.RawBuffer", i32, 1, 0) %13, ptr %tmp.i7.i, align 4, !noalias !9
  %14 = load target("dx.RawBuffer", i32, 1, 0), ptr %tmp.i7.i, align 4, !noalias !9
  %__counter_handle.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %tmp.i7.i, i32 0, i32 1
  store target("dx.RawBuffer", i32, 1, 0) %14, ptr %__counter_handle.i.i, align 4, !noalias !9
  store ptr @_ZL3Out, ptr %this.addr.i12.i, align 4
  store ptr %tmp.i7.i, ptr %other.addr.i13.i, align 4
  %this1.i14.i = load ptr, ptr %this.addr.i12.i, align 4
  %15 = load ptr, ptr %other.addr.i13.i, align 4, !nonnull !7, !align !8
  %16 = load target("dx.RawBuffer", i32, 1, 0), ptr %15, align 4
  store target("dx.RawBuffer", i32, 1, 0) %16, ptr %this1.i14.i, align 4
  %17 = load ptr, ptr %other.addr.i13.i, align 4, !nonnull !7, !align !8
  %__counter_handle.i15.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %17, i32 0, i32 1
  %18 = load target("dx.RawBuffer", i32, 1, 0), ptr %__counter_handle.i15.i, align 4
  %__counter_handle3.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %this1.i14.i, i32 0, i32 1
  store target("dx.RawBuffer", i32, 1, 0) %18, ptr %__counter_handle3.i.i, align 4
  %19 = call i32 @llvm.dx.flattened.thread.id.in.group()
  %20 = call i32 @llvm.dx.thread.id(i32 0)
  %21 = insertelement <3 x i32> poison, i32 %20, i64 0
  %22 = call i32 @llvm.dx.thread.id(i32 1)
  %23 = insertelement <3 x i32> %21, i32 %22, i64 1
  %24 = call i32 @llvm.dx.thread.id(i32 2)
  %25 = insertelement <3 x i32> %23, i32 %24, i64 2
  store i32 %19, ptr %me.addr.i, align 4
  store <3 x i32> %25, ptr %id.addr.i, align 16
  store i32 0, ptr %half_.i, align 4
  %26 = load <3 x i32>, ptr %id.addr.i, align 16
  %27 = extractelement <3 x i32> %26, i32 0
  store ptr @_ZL2In, ptr %this.addr.i, align 4
  store i32 %27, ptr %Index.addr.i, align 4
  %this1.i = load ptr, ptr %this.addr.i, align 4
  %28 = load target("dx.RawBuffer", i32, 0, 0), ptr %this1.i, align 4
  %29 = load i32, ptr %Index.addr.i, align 4
  %30 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0) %28, i32 %29)
  %31 = load i32, ptr %30, align 4
  %32 = load i32, ptr %me.addr.i, align 4
  %arrayidx.i = getelementptr inbounds nuw [16 x i32], ptr addrspace(3) @Tile, i32 0, i32 %32
  store i32 %31, ptr addrspace(3) %arrayidx.i, align 4
  call void @llvm.dx.group.memory.barrier.with.group.sync()
  store i32 1, ptr %distance.i, align 4
  br label %for.cond.i

for.cond.i:                                       ; preds = %if.end.i, %entry
  %33 = load i32, ptr %distance.i, align 4
  %cmp.i = icmp ult i32 %33, 16
  br i1 %cmp.i, label %for.body.i, label %_Z4mainjDv3_j.exit

for.body.i:                                       ; preds = %for.cond.i
  %34 = load i32, ptr %half_.i, align 4
  %arrayidx1.i = getelementptr inbounds nuw [2 x [16 x i32]], ptr addrspace(3) @Tile, i32 0, i32 %34
  %35 = load i32, ptr %me.addr.i, align 4
  %arrayidx2.i = getelementptr inbounds nuw [16 x i32], ptr addrspace(3) %arrayidx1.i, i32 0, i32 %35
  %36 = load i32, ptr addrspace(3) %arrayidx2.i, align 4
  store i32 %36, ptr %sum.i, align 4
  %37 = load i32, ptr %me.addr.i, align 4
  %38 = load i32, ptr %distance.i, align 4
  %cmp3.i = icmp uge i32 %37, %38
  br i1 %cmp3.i, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %for.body.i
  %39 = load i32, ptr %half_.i, align 4
  %arrayidx4.i = getelementptr inbounds nuw [2 x [16 x i32]], ptr addrspace(3) @Tile, i32 0, i32 %39
  %40 = load i32, ptr %me.addr.i, align 4
  %41 = load i32, ptr %distance.i, align 4
  %sub.i = sub i32 %40, %41
  %arrayidx5.i = getelementptr inbounds nuw [16 x i32], ptr addrspace(3) %arrayidx4.i, i32 0, i32 %sub.i
  %42 = load i32, ptr addrspace(3) %arrayidx5.i, align 4
  %43 = load i32, ptr %sum.i, align 4
  %add.i = add nsw i32 %43, %42
  store i32 %add.i, ptr %sum.i, align 4
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %for.body.i
  %44 = load i32, ptr %half_.i, align 4
  %sub6.i = sub i32 1, %44
  store i32 %sub6.i, ptr %half_.i, align 4
  %45 = load i32, ptr %sum.i, align 4
  %46 = load i32, ptr %half_.i, align 4
  %arrayidx7.i = getelementptr inbounds nuw [2 x [16 x i32]], ptr addrspace(3) @Tile, i32 0, i32 %46
  %47 = load i32, ptr %me.addr.i, align 4
  %arrayidx8.i = getelementptr inbounds nuw [16 x i32], ptr addrspace(3) %arrayidx7.i, i32 0, i32 %47
  store i32 %45, ptr addrspace(3) %arrayidx8.i, align 4
  call void @llvm.dx.group.memory.barrier.with.group.sync()
  %48 = load i32, ptr %distance.i, align 4
  %shl.i = shl i32 %48, 1
  store i32 %shl.i, ptr %distance.i, align 4
  br label %for.cond.i, !llvm.loop !12

_Z4mainjDv3_j.exit:                               ; preds = %for.cond.i
  %49 = load i32, ptr %half_.i, align 4
  %arrayidx9.i = getelementptr inbounds nuw [2 x [16 x i32]], ptr addrspace(3) @Tile, i32 0, i32 %49
  %50 = load i32, ptr %me.addr.i, align 4
  %arrayidx10.i = getelementptr inbounds nuw [16 x i32], ptr addrspace(3) %arrayidx9.i, i32 0, i32 %50
  %51 = load i32, ptr addrspace(3) %arrayidx10.i, align 4
  %52 = load <3 x i32>, ptr %id.addr.i, align 16
  %53 = extractelement <3 x i32> %52, i32 0
  store ptr @_ZL3Out, ptr %this.addr.i1, align 4
  store i32 %53, ptr %Index.addr.i2, align 4
  %this1.i3 = load ptr, ptr %this.addr.i1, align 4
  %54 = load target("dx.RawBuffer", i32, 1, 0), ptr %this1.i3, align 4
  %55 = load i32, ptr %Index.addr.i2, align 4
  %56 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %54, i32 %55)
  store i32 %51, ptr %56, align 4
  ret void
}

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.dx.flattened.thread.id.in.group() #1

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.dx.thread.id(i32) #1

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn
declare void @llvm.dx.group.memory.barrier.with.group.sync() #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_0_0t(i32, i32, i32, i32, ptr) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32, i32, i32, i32, ptr) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0), i32) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0), i32) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @llvm.experimental.noalias.scope.decl(metadata) #4

attributes #0 = { convergent noinline norecurse optnone "frame-pointer"="all" "hlsl.numthreads"="16,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { nounwind willreturn memory(none) }
attributes #2 = { convergent nocallback nofree nosync nounwind willreturn }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }

!llvm.module.flags = !{!0, !1}
!dx.valver = !{!2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 1, i32 8}
!3 = !{!"clang version 22.1.8"}
!4 = !{!5}
!5 = distinct !{!5, !6, !"_ZN4hlsl16StructuredBufferIiE19__createFromBindingEjjijPKc: %agg.result"}
!6 = distinct !{!6, !"_ZN4hlsl16StructuredBufferIiE19__createFromBindingEjjijPKc"}
!7 = !{}
!8 = !{i64 4}
!9 = !{!10}
!10 = distinct !{!10, !11, !"_ZN4hlsl18RWStructuredBufferIiE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!11 = distinct !{!11, !"_ZN4hlsl18RWStructuredBufferIiE38__createFromBindingWithImplicitCounterEjjijPKcj"}
!12 = distinct !{!12, !13}
!13 = !{!"llvm.loop.mustprogress"}
