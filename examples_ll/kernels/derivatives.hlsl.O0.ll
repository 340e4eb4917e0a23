; clang-22 -x hlsl -target dxil-pc-shadermodel6.6-compute -fno-discard-value-names -emit-llvm -S -O0 derivatives.hlsl -o derivatives.hlsl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 16 --subgroup-size 16
; CONVCHECK: --buffer t0=f32[16]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25
; CONVCHECK: --buffer u0=f32[32]
; CONVCHECK: --buffer u1=f32[32]
; CONVCHECK: --show u0
; CONVCHECK: --show u1
; CHECK: u0 = f32[32]: -6.75, -10.75, -6.75, -11.75, -7.75, -10.75, -7.75, -11.75, -8.5, -7.5, -8.5, -0.75, -1.75, -7.5, -1.75, -0.75, 20.5, 15.25, 20.5, 3.0, 8.25, 15.25, 8.25, 3.0, 3.25, 15.0, 3.25, 4.0, -7.75, 15.0, -7.75, 4.0
; CHECK: u1 = f32[32]: -6.75, -10.75, -6.75, -10.75, -6.75, -10.75, -6.75, -10.75, -8.5, -7.5, -8.5, -7.5, -8.5, -7.5, -8.5, -7.5, 20.5, 15.25, 20.5, 15.25, 20.5, 15.25, 20.5, 15.25, 3.25, 15.0, 3.25, 15.0, 3.25, 15.0, 3.25, 15.0

source_filename = "derivatives.hlsl"
target datalayout = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64-v48:16:16-v96:32:32-v192:64:64"
target triple = "dxilv1.6-pc-shadermodel6.6-compute"

%"class.hlsl::StructuredBuffer" = type { target("dx.RawBuffer", float, 0, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("dx.RawBuffer", float, 1, 0), target("dx.RawBuffer", float, 1, 0) }

@_ZL2In = internal global %"class.hlsl::StructuredBuffer" poison, align 4
@.str = private unnamed_addr constant [3 x i8] c"In\00", align 1
@_ZL4Fine = internal global %"class.hlsl::RWStructuredBuffer" poison, align 4
@.str.2 = private unnamed_addr constant [5 x i8] c"Fine\00", align 1
@_ZL6Coarse = internal global %"class.hlsl::RWStructuredBuffer" poison, align 4
@.str.4 = private unnamed_addr constant [7 x i8] c"Coarse\00", align 1

; Function Attrs: convergent noinline norecurse optnone
define void @main() #0 {
entry:
  %this.addr.i18.i = alloca ptr, align 4
  %other.addr.i19.i = alloca ptr, align 4
  %this.addr.i14.i = alloca ptr, align 4
  %other.addr.i15.i = alloca ptr, align 4
  %this.addr.i12.i = alloca ptr, align 4
  %this.addr.i10.i = alloca ptr, align 4
  %this.addr.i8.i = alloca ptr, align 4
  %other.addr.i.i = alloca ptr, align 4
  %this.addr.i.i = alloca ptr, align 4
  %result.ptr.i.i.i = alloca ptr, align 4
  %registerNo.addr.i.i.i = alloca i32, align 4
  %spaceNo.addr.i.i.i = alloca i32, align 4
  %range.addr.i.i.i = alloca i32, align 4
  %index.addr.i.i.i = alloca i32, align 4
  %name.addr.i.i.i = alloca ptr, align 4
  %counterOrderId.addr.i.i.i = alloca i32, align 4
  %tmp.i.i.i = alloca %"class.hlsl::RWStructuredBuffer", align 4
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
  %this.addr.i10 = alloca ptr, align 4
  %Index.addr.i11 = alloca i32, align 4
  %this.addr.i7 = alloca ptr, align 4
  %Index.addr.i8 = alloca i32, align 4
  %this.addr.i4 = alloca ptr, align 4
  %Index.addr.i5 = alloca i32, align 4
  %this.addr.i1 = alloca ptr, align 4
  %Index.addr.i2 = alloca i32, align 4
  %this.addr.i = alloca ptr, align 4
  %Index.addr.i = alloca i32, align 4
  %id.addr.i = alloca <3 x i32>, align 16
  %mine.i = alloca float, align 4
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  store ptr @_ZL2In, ptr %result.ptr.i.i, align 4, !noalias !4
  store i32 0, ptr %registerNo.addr.i.i, align 4, !noalias !4
  store i32 0, ptr %spaceNo.addr.i.i, align 4, !noalias !4
  store i32 1, ptr %range.addr.i.i, align 4, !noalias !4
  store i32 0, ptr %index.addr.i.i, align 4, !noalias !4
  store ptr @.str, ptr %name.addr.i.i, align 4, !noalias !4
  store ptr %tmp.i.i, ptr %this.addr.i.i, align 4
  %this1.i.i = load ptr, ptr %this.addr.i.i, align 4
  store target("dx.RawBuffer", float, 0, 0) poison, ptr %this1.i.i, align 4
  %0 = load i32, ptr %registerNo.addr.i.i, align 4, !noalias !4
  %1 = load i32, ptr %spaceNo.addr.i.i, align 4, !noalias !4
  %2 = load i32, ptr %range.addr.i.i, align 4, !noalias !4
  %3 = load i32, ptr %index.addr.i.i, align 4, !noalias !4
  %4 = load ptr, ptr %name.addr.i.i, align 4, !noalias !4
  %5 = call target("dx.RawBuffer", float, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_f32_0_0t(i32 %1, i32 %0, i32 %2, i32 %3, ptr %4)
  store target("dx.RawBuffer", float, 0, 0) %5, ptr %tmp.i.i, align 4, !noalias !4
  store ptr @_ZL2In, ptr %this.addr.i8.i, align 4
  store ptr %tmp.i.i, ptr %other.addr.i.i, align 4
  %this1.i9.i = load ptr, ptr %this.addr.i8.i, align 4
  %6 = load ptr, ptr %other.addr.i.i, align 4, !nonnull !7, !align !8
  %7 = load target("dx.RawBuffer", float, 0, 0), ptr %6, align 4
  store target("dx.RawBuffer", float, 0, 0) %7, ptr %this1.i9.i, align 4
  call void @llvm.experimental.noalias.scope.decl(metadata !9)
  store ptr @_ZL4Fine, ptr %result.ptr.i1.i, align 4, !noalias !9
  store i32 0, ptr %registerNo.addr.i2.i, align 4, !noalias !9
  store i32 0, ptr %spaceNo.addr.i3.i, align 4, !noalias !9
  store i32 1, ptr %range.addr.i4.i, align 4, !noalias !9
  store i32 0, ptr %index.addr.i5.i, align 4, !noalias !9
  store ptr @.str.2, ptr %name.addr.i6.i, align 4, !noalias !9
  store i32 0, ptr %counterOrderId.addr.i.i, align 4, !noalias !9
  store ptr %tmp.i7.i, ptr %this.addr.i12.i, align 4
  %this1.i13.i = load ptr, ptr %this.addr.i12.i, align 4
  store target("dx.RawBuffer", float, 1, 0) poison, ptr %this1.i13.i, align 4
  %8 = load i32, ptr %registerNo.addr.i2.i, align 4, !noalias !9
  %9 = load i32, ptr %spaceNo.addr.i3.i, align 4, !noalias !9
  %10 = load i32, ptr %range.addr.i4.i, align 4, !noalias !9
  %11 = load i32, ptr %index.addr.i5.i, align 4, !noalias !9
  %12 = load ptr, ptr %name.addr.i6.i, align 4, !noalias !9
  %13 = call target("dx.RawBuffer", float, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_f32_1_0t(i32 %9, i32 %8, i32 %10, i32 %11, ptr %12)
  store target("dx.RawBuffer", float, 1, 0) %13, ptr %tmp.i7.i, align 4, !noalias !9
  %14 = load target("dx.RawBuffer", float, 1, 0), ptr %tmp.i7.i, align 4, !noalias !9
  %__counter_handle.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %tmp.i7.i, i32 0, i32 1
  store target("dx.RawBuffer", float, 1, 0) %14, ptr %__counter_handle.i.i, align 4, !noalias !9
  store ptr @_ZL4Fine, ptr %this.addr.i18.i, align 4
  store ptr %tmp.i7.i, ptr %other.addr.i19.i, align 4
  %this1.i20.i = load ptr, ptr %this.addr.i18.i, align 4
  %15 = load ptr, ptr %other.addr.i19.i, align 4, !nonnull !7, !align !8
  %16 = load target("dx.RawBuffer", float, 1, 0), ptr %15, align 4
  store target("dx.RawBuffer", float, 1, 0) %16, ptr %this1.i20.i, align 4
  %17 = load ptr, ptr %other.addr.i19.i, align 4, !nonnull !7, !align !8
  %__counter_handle.i21.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %17, i32 0, i32 1
  %18 = load target("dx.RawBuffer", float, 1, 0), ptr %__counter_handle.i21.i, align 4
  %__counter_handle3.i22.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %this1.i20.i, i32 0, i32 1
  store target("dx.RawBuffer", float, 1, 0) %18, ptr %__counter_handle3.i22.i, align 4
  call void @llvm.experimental.noalias.scope.decl(metadata !12)
  store ptr @_ZL6Coarse, ptr %result.ptr.i.i.i, align 4, !noalias !12
  store i32 1, ptr %registerNo.addr.i.i.i, align 4, !noalias !12
  store i32 0, ptr %spaceNo.addr.i.i.i, align 4, !noalias !12
  store i32 1, ptr %range.addr.i.i.i, align 4, !noalias !12
  store i32 0, ptr %index.addr.i.i.i, align 4, !noalias !12
  store ptr @.str.4, ptr %name.addr.i.i.i, align 4, !noalias !12
  store i32 1, ptr %counterOrderId.addr.i.i.i, align 4, !noalias !12
  store ptr %tmp.i.i.i, ptr %this.addr.i10.i, align 4
  %this1.i11.i = load ptr, ptr %this.addr.i10.i, align 4
  store target("dx.RawBuffer", float, 1, 0) poison, ptr %this1.i11.i, align 4
  %19 = load i32, ptr %registerNo.addr.i.i.i, align 4, !noalias !12
  %20 = load i32, ptr %spaceNo.addr.i.i.i, align 4, !noalias !12
  %21 = load i32, ptr %range.addr.i.i.i, align 4, !noalias !12
  %22 = load i32, ptr %index.addr.i.i.i, align 4, !noalias !12
  %23 = load ptr, ptr %name.addr.i.i.i, align 4, !noalias !12
  %24 = call target("dx.RawBuffer", float, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_f32_1_0t(i32 %20, i32 %19, i32 %21, i32 %22, ptr %23)
  store target("dx.RawBuffer", float, 1, 0) %24, ptr %tmp.i.i.i, align 4, !noalias !12
  %25 = load target("dx.RawBuffer", float, 1, 0), ptr %tmp.i.i.i, align 4, !noalias !12
  %__counter_handle.i.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %tmp.i.i.i, i32 0, i32 1
  store target("dx.RawBuffer", float, 1, 0) %25, ptr %__counter_handle.i.i.i, align 4, !noalias !12
  store ptr @_ZL6Coarse, ptr %this.addr.i14.i, align 4
  store ptr %tmp.i.i.i, ptr %other.addr.i15.i, align 4
  %this1.i16.i = load ptr, ptr %this.addr.i14.i, align 4
  %26 = load ptr, ptr %other.addr.i15.i, align 4, !nonnull !7, !align !8
  %27 = load target("dx.RawBuffer", float, 1, 0), ptr %26, align 4
  store target("dx.RawBuffer", float, 1, 0) %27, ptr %this1.i16.i, align 4
  %28 = load ptr, ptr %other.addr.i15.i, align 4, !nonnull !7, !align !8
  %__counter_handle.i17.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %28, i32 0, i32 1
  %29 = load target("dx.RawBuffer", float, 1, 0), ptr %__counter_handle.i17.i, align 4
  %__counter_handle3.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %this1.i16.i, i32 0, i32 1
  store target("dx.RawBuffer", float, 1, 0) %29, ptr %__counter_handle3.i.i, align 4
  %30 = call i32 @llvm.dx.thread.id(i32 0)
  %31 = insertelement <3 x i32> poison, i32 %30, i64 0
  %32 = call i32 @llvm.dx.thread.id(i32 1)
  %33 = insertelement <3 x i32> %31, i32 %32, i64 1
  %34 = call i32 @llvm.dx.thread.id(i32 2)
  %35 = insertelement <3 x i32> %33, i32 %34, i64 2
  store <3 x i32> %35, ptr %id.addr.i, align 16
  %36 = load <3 x i32>, ptr %id.addr.i, align 16
  %37 = extractelement <3 x i32> %36, i32 0
  store ptr @_ZL2In, ptr %this.addr.i, align 4
  store i32 %37, ptr %Index.addr.i, align 4
  %this1.i = load ptr, ptr %this.addr.i, align 4
  %38 = load target("dx.RawBuffer", float, 0, 0), ptr %this1.i, align 4
  %39 = load i32, ptr %Index.addr.i, align 4
  %40 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_f32_0_0t(target("dx.RawBuffer", float, 0, 0) %38, i32 %39)
  %41 = load float, ptr %40, align 4
  store float %41, ptr %mine.i, align 4
  %42 = load float, ptr %mine.i, align 4
  %hlsl.ddx.fine.i = call reassoc nnan ninf nsz arcp afn float @llvm.dx.ddx.fine.f32(float %42)
  %43 = load <3 x i32>, ptr %id.addr.i, align 16
  %44 = extractelement <3 x i32> %43, i32 0
  %mul.i = mul i32 2, %44
  store ptr @_ZL4Fine, ptr %this.addr.i10, align 4
  store i32 %mul.i, ptr %Index.addr.i11, align 4
  %this1.i12 = load ptr, ptr %this.addr.i10, align 4
  %45 = load target("dx.RawBuffer", float, 1, 0), ptr %this1.i12, align 4
  %46 = load i32, ptr %Index.addr.i11, align 4
  %47 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_f32_1_0t(target("dx.RawBuffer", float, 1, 0) %45, i32 %46)
  store float %hlsl.ddx.fine.i, ptr %47, align 4
  %48 = load float, ptr %mine.i, align 4
  %hlsl.ddy.fine.i = call reassoc nnan ninf nsz arcp afn float @llvm.dx.ddy.fine.f32(float %48)
  %49 = load <3 x i32>, ptr %id.addr.i, align 16
  %50 = extractelement <3 x i32> %49, i32 0
  %mul2.i = mul i32 2, %50
  %add.i = add i32 %mul2.i, 1
  store ptr @_ZL4Fine, ptr %this.addr.i7, align 4
  store i32 %add.i, ptr %Index.addr.i8, align 4
  %this1.i9 = load ptr, ptr %this.addr.i7, align 4
  %51 = load target("dx.RawBuffer", float, 1, 0), ptr %this1.i9, align 4
  %52 = load i32, ptr %Index.addr.i8, align 4
  %53 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_f32_1_0t(target("dx.RawBuffer", float, 1, 0) %51, i32 %52)
  store float %hlsl.ddy.fine.i, ptr %53, align 4
  %54 = load float, ptr %mine.i, align 4
  %hlsl.ddx.coarse.i = call reassoc nnan ninf nsz arcp afn float @llvm.dx.ddx.coarse.f32(float %54)
  %55 = load <3 x i32>, ptr %id.addr.i, align 16
  %56 = extractelement <3 x i32> %55, i32 0
  %mul4.i = mul i32 2, %56
  store ptr @_ZL6Coarse, ptr %this.addr.i4, align 4
  store i32 %mul4.i, ptr %Index.addr.i5, align 4
  %this1.i6 = load ptr, ptr %this.addr.i4, align 4
  %57 = load target("dx.RawBuffer", float, 1, 0), ptr %this1.i6, align 4
  %58 = load i32, ptr %Index.addr.i5, align 4
  %59 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_f32_1_0t(target("dx.RawBuffer", float, 1, 0) %57, i32 %58)
  store float %hlsl.ddx.coarse.i, ptr %59, align 4
  %60 = load float, ptr %mine.i, align 4
  %hlsl.ddy.coarse.i = call reassoc nnan ninf nsz arcp afn float @llvm.dx.ddy.coarse.f32(float %60)
  %61 = load <3 x i32>, ptr %id.addr.i, align 16
  %62 = extractelement <3 x i32> %61, i32 0
  %mul6.i = mul i32 2, %62
  %add7.i = add i32 %mul6.i, 1
  store ptr @_ZL6Coarse, ptr %this.addr.i1, align 4
  store i32 %add7.i, ptr %Index.addr.i2, align 4
  %this1.i3 = load ptr, ptr %this.addr.i1, align 4
  %63 = load target("dx.RawBuffer", float, 1, 0), ptr %this1.i3, align 4
  %64 = load i32, ptr %Index.addr.i2, align 4
  %65 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_f32_1_0t(target("dx.RawBuffer", float, 1, 0) %63, i32 %64)
  store float %hlsl.ddy.coarse.i, ptr %65, align 4
  ret void
}

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.dx.thread.id(i32) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.dx.ddx.fine.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.dx.ddy.fine.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.dx.ddx.coarse.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.dx.ddy.coarse.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", float, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_f32_0_0t(i32, i32, i32, i32, ptr) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", float, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_f32_1_0t(i32, i32, i32, i32, ptr) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_f32_0_0t(target("dx.RawBuffer", float, 0, 0), i32) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_f32_1_0t(target("dx.RawBuffer", float, 1, 0), i32) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @llvm.experimental.noalias.scope.decl(metadata) #3

attributes #0 = { convergent noinline norecurse optnone "frame-pointer"="all" "hlsl.numthreads"="16,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { nounwind willreturn memory(none) }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }

!llvm.module.flags = !{!0, !1}
!dx.valver = !{!2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 1, i32 8}
!3 = !{!"clang version 22.1.8"}
!4 = !{!5}
!5 = distinct !{!5, !6, !"_ZN4hlsl16StructuredBufferIfE19__createFromBindingEjjijPKc: %agg.result"}
!6 = distinct !{!6, !"_ZN4hlsl16StructuredBufferIfE19__createFromBindingEjjijPKc"}
!7 = !{}
!8 = !{i64 4}
!9 = !{!10}
!10 = distinct !{!10, !11, !"_ZN4hlsl18RWStructuredBufferIfE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!11 = distinct !{!11, !"_ZN4hlsl18RWStructuredBufferIfE38__createFromBindingWithImplicitCounterEjjijPKcj"}
!12 = !{!13}
!13 = distinct !{!13, !14, !"_ZN4hlsl18RWStructuredBufferIfE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!14 = distinct !{!14, !"_ZN4hlsl18RWStructuredBufferIfE38__createFromBindingWithImplicitCounterEjjijPKcj"}
