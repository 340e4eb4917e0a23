; clang-22 -x hlsl -target dxil-pc-shadermodel6.6-compute -fno-discard-value-names -emit-llvm -S -O0 prefix.hlsl -o prefix.hlsl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 1 --workgroup 16 --subgroup-size 16
; CONVCHECK: --buffer t0=i32[16]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22
; CONVCHECK: --buffer u0=i32[16]
; CONVCHECK: --show u0
; CHECK: u0 = i32[16]: 35, 48, 49, 25, 5, -41, -84, -133, -166, -135, -121, -80, -80, -70, -23, -1

source_filename = "prefix.hlsl"
target datalayout = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64-v48:16:16-v96:32:32-v192:64:64"
target triple = "dxilv1.6-pc-shadermodel6.6-compute"

%"class.hlsl::StructuredBuffer" = type { target("dx.RawBuffer", i32, 0, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("dx.RawBuffer", i32, 1, 0), target("dx.RawBuffer", i32, 1, 0) }

@_ZL2In = internal global %"class.hlsl::StructuredBuffer" poison, align 4
@.str = private unnamed_addr constant [3 x i8] c"In\00", align 1
@_ZL3Out = internal global %"class.hlsl::RWStructuredBuffer" poison, align 4
@.str.2 = private unnamed_addr constant [4 x i8] c"Out\00", align 1

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
  %id.addr.i = alloca <3 x i32>, align 16
  %sum.i = alloca i32, align 4
  %lane.i = alloca i32, align 4
  %distance.i = alloca i32, align 4
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
  %19 = call i32 @llvm.dx.thread.id(i32 0)
  %20 = insertelement <3 x i32> poison, i32 %19, i64 0
  %21 = call i32 @llvm.dx.thread.id(i32 1)
  %22 = insertelement <3 x i32> %20, i32 %21, i64 1
  %23 = call i32 @llvm.dx.thread.id(i32 2)
  %24 = insertelement <3 x i32> %22, i32 %23, i64 2
  store <3 x i32> %24, ptr %id.addr.i, align 16
  %25 = load <3 x i32>, ptr %id.addr.i, align 16
  %26 = extractelement <3 x i32> %25, i32 0
  store ptr @_ZL2In, ptr %this.addr.i, align 4
  store i32 %26, ptr %Index.addr.i, align 4
  %this1.i = load ptr, ptr %this.addr.i, align 4
  %27 = load target("dx.RawBuffer", i32, 0, 0), ptr %this1.i, align 4
  %28 = load i32, ptr %Index.addr.i, align 4
  %29 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0) %27, i32 %28)
  %30 = load i32, ptr %29, align 4
  store i32 %30, ptr %sum.i, align 4
  %31 = call i32 @llvm.dx.wave.getlaneindex()
  store i32 %31, ptr %lane.i, align 4
  store i32 1, ptr %distance.i, align 4
  br label %for.cond.i

for.cond.i:                                       ; preds = %cond.end5.i, %entry
  %32 = load i32, ptr %distance.i, align 4
  %33 = call i32 @llvm.dx.wave.get.lane.count()
  %cmp.i = icmp ult i32 %32, %33
  br i1 %cmp.i, label %for.body.i, label %_Z4mainDv3_j.exit

for.body.i:                                       ; preds = %for.cond.i
  %34 = load i32, ptr %sum.i, align 4
  %35 = load i32, ptr %lane.i, align 4
  %36 = load i32, ptr %distance.i, align 4
  %cmp1.i = icmp uge i32 %35, %36
  br i1 %cmp1.i, label %cond.true.i, label %cond.false.i

cond.true.i:                                      ; preds = %for.body.i
  %37 = load i32, ptr %lane.i, align 4
  %38 = load i32, ptr %distance.i, align 4
  %sub.i = sub i32 %37, %38
  br label %cond.end.i

cond.false.i:                                     ; preds = %for.body.i
  %39 = load i32, ptr %lane.i, align 4
  br label %cond.end.i

cond.end.i:                                       ; preds = %cond.false.i, %cond.true.i
  %cond.i = phi i32 [ %sub.i, %cond.true.i ], [ %39, %cond.false.i ]
  %hlsl.wave.readlane.i = call i32 @llvm.dx.wave.readlane.i32(i32 %34, i32 %cond.i)
  store i32 %hlsl.wave.readlane.i, ptr %before.i, align 4
  %40 = load i32, ptr %lane.i, align 4
  %41 = load i32, ptr %distance.i, align 4
  %cmp2.i = icmp uge i32 %40, %41
  br i1 %cmp2.i, label %cond.true3.i, label %cond.false4.i

cond.true3.i:                                     ; preds = %cond.end.i
  %42 = load i32, ptr %before.i, align 4
  br label %cond.end5.i

cond.false4.i:                                    ; preds = %cond.end.i
  br label %cond.end5.i

cond.end5.i:                                      ; preds = %cond.false4.i, %cond.true3.i
  %cond6.i = phi i32 [ %42, %cond.true3.i ], [ 0, %cond.false4.i ]
  %43 = load i32, ptr %sum.i, align 4
  %add.i = add nsw i32 %43, %cond6.i
  store i32 %add.i, ptr %sum.i, align 4
  %44 = load i32, ptr %distance.i, align 4
  %shl.i = shl i32 %44, 1
  store i32 %shl.i, ptr %distance.i, align 4
  br label %for.cond.i, !llvm.loop !12

_Z4mainDv3_j.exit:                                ; preds = %for.cond.i
  %45 = load i32, ptr %sum.i, align 4
  %46 = load <3 x i32>, ptr %id.addr.i, align 16
  %47 = extractelement <3 x i32> %46, i32 0
  store ptr @_ZL3Out, ptr %this.addr.i1, align 4
  store i32 %47, ptr %Index.addr.i2, align 4
  %this1.i3 = load ptr, ptr %this.addr.i1, align 4
  %48 = load target("dx.RawBuffer", i32, 1, 0), ptr %this1.i3, align 4
  %49 = load i32, ptr %Index.addr.i2, align 4
  %50 = call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %48, i32 %49)
  store i32 %45, ptr %50, align 4
  ret void
}

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.dx.thread.id(i32) #1

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.dx.wave.getlaneindex() #2

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn
declare i32 @llvm.dx.wave.get.lane.count() #3

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.dx.wave.readlane.i32(i32, i32) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_0_0t(i32, i32, i32, i32, ptr) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32, i32, i32, i32, ptr) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0), i32) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0), i32) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @llvm.experimental.noalias.scope.decl(metadata) #5

attributes #0 = { convergent noinline norecurse optnone "frame-pointer"="all" "hlsl.numthreads"="16,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { nounwind willreturn memory(none) }
attributes #2 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { convergent nocallback nofree nosync nounwind willreturn }
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
!5 = distinct !{!5, !6, !"_ZN4hlsl16StructuredBufferIiE19__createFromBindingEjjijPKc: %agg.result"}
!6 = distinct !{!6, !"_ZN4hlsl16StructuredBufferIiE19__createFromBindingEjjijPKc"}
!7 = !{}
!8 = !{i64 4}
!9 = !{!10}
!10 = distinct !{!10, !11, !"_ZN4hlsl18RWStructuredBufferIiE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!11 = distinct !{!11, !"_ZN4hlsl18RWStructuredBufferIiE38__createFromBindingWithImplicitCounterEjjijPKcj"}
!12 = distinct !{!12, !13}
!13 = !{!"llvm.loop.mustprogress"}
