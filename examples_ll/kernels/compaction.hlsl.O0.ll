; clang-22 -x hlsl -target dxil-pc-shadermodel6.6-compute -fno-discard-value-names -emit-llvm -S -O0 compaction.hlsl -o compaction.hlsl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 16 --subgroup-size 16
; CONVCHECK: --buffer t0=i32[16]:35,13,1,-24,0,-46,-43,0,0,31,14,0,0,10,47,0
; CONVCHECK: --buffer u0=i32[16]
; CONVCHECK: --buffer u1=u32[1]
; CONVCHECK: --show u0
; CONVCHECK: --show u1
; CHECK: u0 = i32[16]: 35, 13, 1, -24, -46, -43, 31, 14, 10, 47, 0, 0, 0, 0, 0, 0
; CHECK: u1 = u32[1]: 10

source_filename = "compaction.hlsl"
target datalayout = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64-v48:16:16-v96:32:32-v192:64:64"
target triple = "dxilv1.6-pc-shadermodel6.6-compute"

%"class.hlsl::StructuredBuffer" = type { target("dx.RawBuffer", i32, 0, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("dx.RawBuffer", i32, 1, 0), target("dx.RawBuffer", i32, 1, 0) }
%"class.hlsl::RWStructuredBuffer.0" = type { target("dx.RawBuffer", i32, 1, 0), target("dx.RawBuffer", i32, 1, 0) }

@_ZL2In = internal global %"class.hlsl::StructuredBuffer" poison, align 4
@.str = private unnamed_addr constant [3 x i8] c"In\00", align 1
@_ZL3Out = internal global %"class.hlsl::RWStructuredBuffer" poison, align 4
@.str.2 = private unnamed_addr constant [4 x i8] c"Out\00", align 1
@_ZL4Size = internal global %"class.hlsl::RWStructuredBuffer.0" poison, align 4
@.str.4 = private unnamed_addr constant [5 x i8] c"Size\00", align 1

; Function Attrs: convergent noinline norecurse optnone
define void @main() #0 {
entry:
  %this.addr.i27.i = alloca ptr, align 4
  %other.addr.i28.i = alloca ptr, align 4
  %this.addr.i25.i = alloca ptr, align 4
  %this.addr.i21.i = alloca ptr, align 4
  %other.addr.i22.i = alloca ptr, align 4
  %this.addr.i19.i = alloca ptr, align 4
  %this.addr.i17.i = alloca ptr, align 4
  %other.addr.i.i = alloca ptr, align 4
  %this.addr.i.i = alloca ptr, align 4
  %result.ptr.i8.i = alloca ptr, align 4
  %registerNo.addr.i9.i = alloca i32, align 4
  %spaceNo.addr.i10.i = alloca i32, align 4
  %range.addr.i11.i = alloca i32, align 4
  %index.addr.i12.i = alloca i32, align 4
  %name.addr.i13.i = alloca ptr, align 4
  %counterOrderId.addr.i14.i = alloca i32, align 4
  %tmp.i15.i = alloca %"class.hlsl::RWStructuredBuffer.0", align 4
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
  %this.addr.i6 = alloca ptr, align 4
  %Index.addr.i7 = alloca i32, align 4
  %this.addr.i3 = alloca ptr, align 4
  %Index.addr.i4 = alloca i32, align 4
  %x.addr.i1 = alloca i32, align 4
  %x.addr.i = alloca i32, align 4
  %this.addr.i = alloca ptr, align 4
  %Index.addr.i = alloca i32, align 4
  %id.addr.i = alloca <3 x i32>, align 16
  %value.i = alloca i32, align 4
  %keep.i = alloca i32, align 4
  %tmp.i = alloca <4 x i32>, align 16
  %before.i = alloca i32, align 4
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
  store ptr @_ZL2In, ptr %this.addr.i17.i, align 4
  store ptr %tmp.i.i, ptr %other.addr.i.i, align 4
  %this1.i18.i = load ptr, ptr %this.addr.i17.i, align 4
  %6 = load ptr, ptr %other.addr.i.i, align 4, !nonnull !7, !align !8
  %7 = load target("dx.RawBuffer", i32, 0, 0), ptr %6, align 4
  store target("dx.RawBuffer", i32, 0, 0) %7, ptr %this1.i18.i, align 4
  call void @llvm.experimental.noalias.scope.decl(metadata !9)
  store ptr @_ZL3Out, ptr %result.ptr.i1.i, align 4, !noalias !9
  store i32 0, ptr %registerNo.addr.i2.i, align 4, !noalias !9
  store i32 0, ptr %spaceNo.addr.i3.i, align 4, !noalias !9
  store i32 1, ptr %range.addr.i4.i, align 4, !noalias !9
  store i32 0, ptr %index.addr.i5.i, align 4, !noalias !9
  store ptr @.str.2, ptr %name.addr.i6.i, align 4, !noalias !9
  store i32 0, ptr %counterOrderId.addr.i.i, align 4, !noalias !9
  store ptr %tmp.i7.i, ptr %this.addr.i19.i, align 4
  %this1.i20.i = load ptr, ptr %this.addr.i19.i, align 4
  store target("dx.RawBuffer", i32, 1, 0) poison, ptr %this1.i20.i, align 4
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
  store ptr @_ZL3Out, ptr %this.addr.i21.i, align 4
  store ptr %tmp.i7.i, ptr %other.addr.i22.i, align 4
  %this1.i23.i = load ptr, ptr %this.addr.i21.i, align 4
  %15 = load ptr, ptr %other.addr.i22.i, align 4, !nonnull !7, !align !8
  %16 = load target("dx.RawBuffer", i32, 1, 0), ptr %15, align 4
  store target("dx.RawBuffer", i32, 1, 0) %16, ptr %this1.i23.i, align 4
  %17 = load ptr, ptr %other.addr.i22.i, align 4, !nonnull !7, !align !8
  %__counter_handle.i24.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %17, i32 0, i32 1
  %18 = load target("dx.RawBuffer", i32, 1, 0), ptr %__counter_handle.i24.i, align 4
  %__counter_handle3.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %this1.i23.i, i32 0, i32 1
  store target("dx.RawBuffer", i32, 1, 0) %18, ptr %__counter_handle3.i.i, align 4
  call void @llvm.experimental.noalias.scope.decl(metadata !12)
  store ptr @_ZL4Size, ptr %result.ptr.i8.i, align 4, !noalias !12
  store i32 1, ptr %registerNo.addr.i9.i, align 4, !noalias !12
  store i32 0, ptr %spaceNo.addr.i10.i, align 4, !noalias !12
  store i32 1, ptr %range.addr.i11.i, align 4, !noalias !12
  store i32 0, ptr %index.addr.i12.i, align 4, !noalias !12
  store ptr @.str.4, ptr %name.addr.i13.i, align 4, !noalias !12
  store i32 1, ptr %counterOrderId.addr.i14.i, align 4, !noalias !12
  store ptr %tmp.i15.i, ptr %this.addr.i25.i, align 4
  %this1.i26.i = load ptr, ptr %this.addr.i25.i, align 4
  store target("dx.RawBuffer", i32, 1, 0) poison, ptr %this1.i26.i, align 4
  %19 = load i32, ptr %registerNo.addr.i9.i, align 4, !noalias !12
  %20 = load i32, ptr %spaceNo.addr.i10.i, align 4, !noalias !12
  %21 = load i32, ptr %range.addr.i11.i, align 4, !noalias !12
  %22 = load i32, ptr %index.addr.i12.i, align 4, !noalias !12
  %23 = load ptr, ptr %name.addr.i13.i, align 4, !noalias !12
  %24 = call target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32 %20, i32 %19, i32 %21, i32 %22, ptr %23)
  store target("dx.RawBuffer", i32, 1, 0) %24, ptr %tmp.i15.i, align 4, !noalias !12
  %25 = load target("dx.RawBuffer", i32, 1, 0), ptr %tmp.i15.i, align 4, !noalias !12
  %__counter_handle.i16.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer.0", ptr %tmp.i15.i, i32 0, i32 1
  store target("dx.RawBuffer", i32, 1, 0) %25, ptr %__counter_handle.i16.i, align 4, !noalias !12
  store ptr @_ZL4Size, ptr %this.addr.i27.i, align 4
  store ptr %tmp.i15.i, ptr %other.addr.i28.i, align 4
  %this1.i29.i = load ptr, ptr %this.addr.i27.i, align 4
  %26 = load ptr, ptr %other.addr.i28.i, align 4, !nonnull !7, !align !8
  %27 = load target("dx.RawBuffer", i32, 1, 0), ptr %26, align 4
  store target("dx.RawBuffer", i32, 1, 0) %27, ptr %this1.i29.i, align 4
  %28 = load ptr, ptr %other.addr.i28.i, align 4, !nonnull !7, !align !8
  %__counter_handle.i30.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer.0", ptr %28, i32 0, i32 1
  %29 = load target("dx.RawBuffer", i32, 1, 0), ptr %__counter_handle.i30.i, align 4
  %__counter_handle3.i31.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer.0", ptr %this1.i29.i, i32 0, i32 1
  store target("dx.RawBuffer", i32, 1, 0) %29, ptr %__counter_handle3.i31.i, align 4
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
  %38 = load target("dx.RawBuffer", i32, 0, 0), ptr %this1.i, align 4
  %39 = load i32, ptr %Index.addr.i, align 4
  %40 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0) %38, i32 %39)
  %41 = load i32, ptr %40, align 4
  store i32 %41, ptr %value.i, align 4
  %42 = load i32, ptr %value.i, align 4
  %cmp.i = icmp ne i32 %42, 0
  %43 = call <4 x i32> @llvm.dx.wave.ballot(i1 %cmp.i)
  store <4 x i32> %43, ptr %tmp.i, align 16
  %44 = load <4 x i32>, ptr %tmp.i, align 16
  %45 = extractelement <4 x i32> %44, i32 0
  store i32 %45, ptr %keep.i, align 4
  %46 = load i32, ptr %keep.i, align 4
  %47 = call i32 @llvm.dx.wave.getlaneindex()
  %shl.mask.i = and i32 %47, 31
  %shl.i = shl i32 1, %shl.mask.i
  %sub.i = sub i32 %shl.i, 1
  %and.i = and i32 %46, %sub.i
  store i32 %and.i, ptr %x.addr.i1, align 4
  %48 = load i32, ptr %x.addr.i1, align 4
  %elt.ctpop.i2 = call noundef i32 @llvm.ctpop.i32(i32 %48)
  store i32 %elt.ctpop.i2, ptr %before.i, align 4
  %49 = load i32, ptr %value.i, align 4
  %cmp2.i = icmp ne i32 %49, 0
  br i1 %cmp2.i, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %entry
  %50 = load i32, ptr %value.i, align 4
  %51 = load i32, ptr %before.i, align 4
  store ptr @_ZL3Out, ptr %this.addr.i3, align 4
  store i32 %51, ptr %Index.addr.i4, align 4
  %this1.i5 = load ptr, ptr %this.addr.i3, align 4
  %52 = load target("dx.RawBuffer", i32, 1, 0), ptr %this1.i5, align 4
  %53 = load i32, ptr %Index.addr.i4, align 4
  %54 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %52, i32 %53)
  store i32 %50, ptr %54, align 4
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %entry
  %55 = call i1 @llvm.dx.wave.is.first.lane()
  br i1 %55, label %if.then4.i, label %_Z4mainDv3_j.exit

if.then4.i:                                       ; preds = %if.end.i
  %56 = load i32, ptr %keep.i, align 4
  store i32 %56, ptr %x.addr.i, align 4
  %57 = load i32, ptr %x.addr.i, align 4
  %elt.ctpop.i = call noundef i32 @llvm.ctpop.i32(i32 %57)
  store ptr @_ZL4Size, ptr %this.addr.i6, align 4
  store i32 0, ptr %Index.addr.i7, align 4
  %this1.i8 = load ptr, ptr %this.addr.i6, align 4
  %58 = load target("dx.RawBuffer", i32, 1, 0), ptr %this1.i8, align 4
  %59 = load i32, ptr %Index.addr.i7, align 4
  %60 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %58, i32 %59)
  store i32 %elt.ctpop.i, ptr %60, align 4
  br label %_Z4mainDv3_j.exit

_Z4mainDv3_j.exit:                                ; preds = %if.end.i, %if.then4.i
  ret void
}

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.dx.thread.id(i32) #1

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare <4 x i32> @llvm.dx.wave.ballot(i1) #2

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.dx.wave.getlaneindex() #2

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn
declare i1 @llvm.dx.wave.is.first.lane() #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_0_0t(i32, i32, i32, i32, ptr) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32, i32, i32, i32, ptr) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0), i32) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0), i32) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @llvm.experimental.noalias.scope.decl(metadata) #6

attributes #0 = { convergent noinline norecurse optnone "frame-pointer"="all" "hlsl.numthreads"="16,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { nounwind willreturn memory(none) }
attributes #2 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { convergent nocallback nofree nosync nounwind willreturn }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #5 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }

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
!12 = !{!13}
!13 = distinct !{!13, !14, !"_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!14 = distinct !{!14, !"_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj"}
