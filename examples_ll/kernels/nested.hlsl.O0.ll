; clang-22 -x hlsl -target spirv-unknown-vulkan1.3-compute -fno-discard-value-names -emit-llvm -S -O0 nested.hlsl -o nested.hlsl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer t0=i32[16]:3,2,2,1,1,0,0,0,0,3,2,3,2,2,3,2
; CONVCHECK: --buffer t1=i32[16]:2,2,2,3,1,3,2,0,1,3,2,0,3,2,3,0
; CONVCHECK: --buffer u0=i32[16]
; CONVCHECK: --show u0
; CHECK: u0 = i32[16]: 617, 515, 515, 510, 505, 0, 0, 0, 0, 1032, 720, 1000, 726, 720, 1032, 700

source_filename = "nested.hlsl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G10"
target triple = "spirv-unknown-vulkan1.3-compute"

%"class.hlsl::StructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x i32], 12, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x i32], 12, 1), target("spirv.VulkanBuffer", i32, 12, 1) }

@_ZL5Outer = internal global %"class.hlsl::StructuredBuffer" poison, align 8
@.str = private unnamed_addr constant [6 x i8] c"Outer\00", align 1
@_ZL5Inner = internal global %"class.hlsl::StructuredBuffer" poison, align 8
@.str.2 = private unnamed_addr constant [6 x i8] c"Inner\00", align 1
@_ZL3Out = internal global %"class.hlsl::RWStructuredBuffer" poison, align 8
@.str.4 = private unnamed_addr constant [4 x i8] c"Out\00", align 1

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #0

; Function Attrs: convergent noinline norecurse optnone
define void @main() #1 {
entry:
  %this.addr.i17.i = alloca ptr, align 8
  %other.addr.i18.i = alloca ptr, align 8
  %this.addr.i15.i = alloca ptr, align 8
  %this.addr.i12.i = alloca ptr, align 8
  %other.addr.i13.i = alloca ptr, align 8
  %this.addr.i10.i = alloca ptr, align 8
  %other.addr.i.i = alloca ptr, align 8
  %this.addr.i8.i = alloca ptr, align 8
  %this.addr.i.i = alloca ptr, align 8
  %result.ptr.i1.i = alloca ptr, align 8
  %registerNo.addr.i2.i = alloca i32, align 4
  %spaceNo.addr.i3.i = alloca i32, align 4
  %range.addr.i4.i = alloca i32, align 4
  %index.addr.i5.i = alloca i32, align 4
  %name.addr.i6.i = alloca ptr, align 8
  %counterOrderId.addr.i.i = alloca i32, align 4
  %tmp.i7.i = alloca %"class.hlsl::RWStructuredBuffer", align 8
  %result.ptr.i.i.i = alloca ptr, align 8
  %registerNo.addr.i.i.i = alloca i32, align 4
  %spaceNo.addr.i.i.i = alloca i32, align 4
  %range.addr.i.i.i = alloca i32, align 4
  %index.addr.i.i.i = alloca i32, align 4
  %name.addr.i.i.i = alloca ptr, align 8
  %tmp.i.i.i = alloca %"class.hlsl::StructuredBuffer", align 8
  %result.ptr.i.i = alloca ptr, align 8
  %registerNo.addr.i.i = alloca i32, align 4
  %spaceNo.addr.i.i = alloca i32, align 4
  %range.addr.i.i = alloca i32, align 4
  %index.addr.i.i = alloca i32, align 4
  %name.addr.i.i = alloca ptr, align 8
  %tmp.i.i = alloca %"class.hlsl::StructuredBuffer", align 8
  %this.addr.i4 = alloca ptr, align 8
  %Index.addr.i5 = alloca i32, align 4
  %this.addr.i1 = alloca ptr, align 8
  %Index.addr.i2 = alloca i32, align 4
  %this.addr.i = alloca ptr, align 8
  %Index.addr.i = alloca i32, align 4
  %id.addr.i = alloca <3 x i32>, align 16
  %votes.i = alloca i32, align 4
  %i.i = alloca i32, align 4
  %j.i = alloca i32, align 4
  %0 = call token @llvm.experimental.convergence.entry()
  call void @llvm.experimental.noalias.scope.decl(metadata !3)
  store ptr @_ZL5Outer, ptr %result.ptr.i.i, align 8, !noalias !3
  store i32 0, ptr %registerNo.addr.i.i, align 4, !noalias !3
  store i32 0, ptr %spaceNo.addr.i.i, align 4, !noalias !3
  store i32 1, ptr %range.addr.i.i, align 4, !noalias !3
  store i32 0, ptr %index.addr.i.i, align 4, !noalias !3
  store ptr @.str, ptr %name.addr.i.i, align 8, !noalias !3
  store ptr %tmp.i.i, ptr %this.addr.i8.i, align 8
  %this1.i9.i = load ptr, ptr %this.addr.i8.i, align 8
  store target("spirv.VulkanBuffer", [0 x i32], 12, 0) poison, ptr %this1.i9.i, align 8
  %1 = load i32, ptr %registerNo.addr.i.i, align 4, !noalias !3
  %2 = load i32, ptr %spaceNo.addr.i.i, align 4, !noalias !3
  %3 = load i32, ptr %range.addr.i.i, align 4, !noalias !3
  %4 = load i32, ptr %index.addr.i.i, align 4, !noalias !3
  %5 = load ptr, ptr %name.addr.i.i, align 8, !noalias !3
  %6 = call target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32 %2, i32 %1, i32 %3, i32 %4, ptr %5)
  store target("spirv.VulkanBuffer", [0 x i32], 12, 0) %6, ptr %tmp.i.i, align 8, !noalias !3
  store ptr @_ZL5Outer, ptr %this.addr.i12.i, align 8
  store ptr %tmp.i.i, ptr %other.addr.i13.i, align 8
  %this1.i14.i = load ptr, ptr %this.addr.i12.i, align 8
  %7 = load ptr, ptr %other.addr.i13.i, align 8, !nonnull !6, !align !7
  %8 = load target("spirv.VulkanBuffer", [0 x i32], 12, 0), ptr %7, align 8
  store target("spirv.VulkanBuffer", [0 x i32], 12, 0) %8, ptr %this1.i14.i, align 8
  call void @llvm.experimental.noalias.scope.decl(metadata !8)
  store ptr @_ZL5Inner, ptr %result.ptr.i.i.i, align 8, !noalias !8
  store i32 1, ptr %registerNo.addr.i.i.i, align 4, !noalias !8
  store i32 0, ptr %spaceNo.addr.i.i.i, align 4, !noalias !8
  store i32 1, ptr %range.addr.i.i.i, align 4, !noalias !8
  store i32 0, ptr %index.addr.i.i.i, align 4, !noalias !8
  store ptr @.str.2, ptr %name.addr.i.i.i, align 8, !noalias !8
  store ptr %tmp.i.i.i, ptr %this.addr.i.i, align 8
  %this1.i.i = load ptr, ptr %this.addr.i.i, align 8
  store target("spirv.VulkanBuffer", [0 x i32], 12, 0) poison, ptr %this1.i.i, align 8
  %9 = load i32, ptr %registerNo.addr.i.i.i, align 4, !noalias !8
  %10 = load i32, ptr %spaceNo.addr.i.i.i, align 4, !noalias !8
  %11 = load i32, ptr %range.addr.i.i.i, align 4, !noalias !8
  %12 = load i32, ptr %index.addr.i.i.i, align 4, !noalias !8
  %13 = load ptr, ptr %name.addr.i.i.i, align 8, !noalias !8
  %14 = call target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32 %10, i32 %9, i32 %11, i32 %12, ptr %13)
  store target("spirv.VulkanBuffer", [0 x i32], 12, 0) %14, ptr %tmp.i.i.i, align 8, !noalias !8
  store ptr @_ZL5Inner, ptr %this.addr.i10.i, align 8
  store ptr %tmp.i.i.i, ptr %other.addr.i.i, align 8
  %this1.i11.i = load ptr, ptr %this.addr.i10.i, align 8
  %15 = load ptr, ptr %other.addr.i.i, align 8, !nonnull !6, !align !7
  %16 = load target("spirv.VulkanBuffer", [0 x i32], 12, 0), ptr %15, align 8
  store target("spirv.VulkanBuffer", [0 x i32], 12, 0) %16, ptr %this1.i11.i, align 8
  call void @llvm.experimental.noalias.scope.decl(metadata !11)
  store ptr @_ZL3Out, ptr %result.ptr.i1.i, align 8, !noalias !11
  store i32 0, ptr %registerNo.addr.i2.i, align 4, !noalias !11
  store i32 0, ptr %spaceNo.addr.i3.i, align 4, !noalias !11
  store i32 1, ptr %range.addr.i4.i, align 4, !noalias !11
  store i32 0, ptr %index.addr.i5.i, align 4, !noalias !11
  store ptr @.str.4, ptr %name.addr.i6.i, align 8, !noalias !11
  store i32 0, ptr %counterOrderId.addr.i.i, align 4, !noalias !11
  store ptr %tmp.i7.i, ptr %this.addr.i15.i, align 8
  %this1.i16.i = load ptr, ptr %this.addr.i15.i, align 8
  store target("spirv.VulkanBuffer", [0 x i32], 12, 1) poison, ptr %this1.i16.i, align 8
  %17 = load i32, ptr %registerNo.addr.i2.i, align 4, !noalias !11
  %18 = load i32, ptr %spaceNo.addr.i3.i, align 4, !noalias !11
  %19 = load i32, ptr %range.addr.i4.i, align 4, !noalias !11
  %20 = load i32, ptr %index.addr.i5.i, align 4, !noalias !11
  %21 = load ptr, ptr %name.addr.i6.i, align 8, !noalias !11
  %22 = call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 %18, i32 %17, i32 %19, i32 %20, ptr %21)
  store target("spirv.VulkanBuffer", [0 x i32], 12, 1) %22, ptr %tmp.i7.i, align 8, !noalias !11
  %23 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %tmp.i7.i, align 8, !noalias !11
  %24 = load i32, ptr %counterOrderId.addr.i.i, align 4, !noalias !11
  %25 = load i32, ptr %spaceNo.addr.i3.i, align 4, !noalias !11
  %26 = call target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %23, i32 %24, i32 %25)
  %__counter_handle.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %tmp.i7.i, i32 0, i32 1
  store target("spirv.VulkanBuffer", i32, 12, 1) %26, ptr %__counter_handle.i.i, align 8, !noalias !11
  store ptr @_ZL3Out, ptr %this.addr.i17.i, align 8
  store ptr %tmp.i7.i, ptr %other.addr.i18.i, align 8
  %this1.i19.i = load ptr, ptr %this.addr.i17.i, align 8
  %27 = load ptr, ptr %other.addr.i18.i, align 8, !nonnull !6, !align !7
  %28 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %27, align 8
  store target("spirv.VulkanBuffer", [0 x i32], 12, 1) %28, ptr %this1.i19.i, align 8
  %29 = load ptr, ptr %other.addr.i18.i, align 8, !nonnull !6, !align !7
  %__counter_handle.i20.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %29, i32 0, i32 1
  %30 = load target("spirv.VulkanBuffer", i32, 12, 1), ptr %__counter_handle.i20.i, align 8
  %__counter_handle3.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %this1.i19.i, i32 0, i32 1
  store target("spirv.VulkanBuffer", i32, 12, 1) %30, ptr %__counter_handle3.i.i, align 8
  %31 = call i32 @llvm.spv.thread.id.i32(i32 0)
  %32 = insertelement <3 x i32> poison, i32 %31, i64 0
  %33 = call i32 @llvm.spv.thread.id.i32(i32 1)
  %34 = insertelement <3 x i32> %32, i32 %33, i64 1
  %35 = call i32 @llvm.spv.thread.id.i32(i32 2)
  %36 = insertelement <3 x i32> %34, i32 %35, i64 2
  store <3 x i32> %36, ptr %id.addr.i, align 16
  store i32 0, ptr %votes.i, align 4
  store i32 0, ptr %i.i, align 4
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.end.i, %entry
  %37 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %0) ]
  %38 = load i32, ptr %i.i, align 4
  %39 = load <3 x i32>, ptr %id.addr.i, align 16
  %40 = extractelement <3 x i32> %39, i64 0
  store ptr @_ZL5Outer, ptr %this.addr.i1, align 8
  store i32 %40, ptr %Index.addr.i2, align 4
  %this1.i3 = load ptr, ptr %this.addr.i1, align 8
  %41 = load target("spirv.VulkanBuffer", [0 x i32], 12, 0), ptr %this1.i3, align 8
  %42 = load i32, ptr %Index.addr.i2, align 4
  %43 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t(target("spirv.VulkanBuffer", [0 x i32], 12, 0) %41, i32 %42)
  %44 = load i32, ptr addrspace(11) %43, align 4
  %cmp.i = icmp slt i32 %38, %44
  br i1 %cmp.i, label %for.body.i, label %_Z4mainDv3_j.exit

for.body.i:                                       ; preds = %for.cond.i
  store i32 0, ptr %j.i, align 4
  br label %for.cond2.i

for.cond2.i:                                      ; preds = %for.body5.i, %for.body.i
  %45 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %37) ]
  %46 = load i32, ptr %j.i, align 4
  %47 = load <3 x i32>, ptr %id.addr.i, align 16
  %48 = extractelement <3 x i32> %47, i64 0
  store ptr @_ZL5Inner, ptr %this.addr.i, align 8
  store i32 %48, ptr %Index.addr.i, align 4
  %this1.i = load ptr, ptr %this.addr.i, align 8
  %49 = load target("spirv.VulkanBuffer", [0 x i32], 12, 0), ptr %this1.i, align 8
  %50 = load i32, ptr %Index.addr.i, align 4
  %51 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t(target("spirv.VulkanBuffer", [0 x i32], 12, 0) %49, i32 %50)
  %52 = load i32, ptr addrspace(11) %51, align 4
  %cmp4.i = icmp slt i32 %46, %52
  br i1 %cmp4.i, label %for.body5.i, label %for.end.i

for.body5.i:                                      ; preds = %for.cond2.i
  %53 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 true) [ "convergencectrl"(token %45) ]
  %54 = load i32, ptr %votes.i, align 4
  %add.i = add nsw i32 %54, %53
  store i32 %add.i, ptr %votes.i, align 4
  %55 = load i32, ptr %j.i, align 4
  %inc.i = add nsw i32 %55, 1
  store i32 %inc.i, ptr %j.i, align 4
  br label %for.cond2.i, !llvm.loop !14

for.end.i:                                        ; preds = %for.cond2.i
  %56 = load i32, ptr %i.i, align 4
  %rem.i = srem i32 %56, 2
  %cmp6.i = icmp eq i32 %rem.i, 0
  %57 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 %cmp6.i) [ "convergencectrl"(token %37) ]
  %mul.i = mul nsw i32 100, %57
  %58 = load i32, ptr %votes.i, align 4
  %add7.i = add nsw i32 %58, %mul.i
  store i32 %add7.i, ptr %votes.i, align 4
  %59 = load i32, ptr %i.i, align 4
  %inc9.i = add nsw i32 %59, 1
  store i32 %inc9.i, ptr %i.i, align 4
  br label %for.cond.i, !llvm.loop !16

_Z4mainDv3_j.exit:                                ; preds = %for.cond.i
  %60 = load i32, ptr %votes.i, align 4
  %61 = load <3 x i32>, ptr %id.addr.i, align 16
  %62 = extractelement <3 x i32> %61, i64 0
  store ptr @_ZL3Out, ptr %this.addr.i4, align 8
  store i32 %62, ptr %Index.addr.i5, align 4
  %this1.i6 = load ptr, ptr %this.addr.i4, align 8
  %63 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %this1.i6, align 8
  %64 = load i32, ptr %Index.addr.i5, align 4
  %65 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %63, i32 %64)
  store i32 %60, ptr addrspace(11) %65, align 4
  ret void
}

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.i32(i32) #2

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.loop() #0

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.wave.active.countbits(i1) #0

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32, i32, i32, i32, ptr) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32, i32, i32, i32, ptr) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1), i32, i32) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t(target("spirv.VulkanBuffer", [0 x i32], 12, 0), i32) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1), i32) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @llvm.experimental.noalias.scope.decl(metadata) #4

attributes #0 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent noinline norecurse optnone "frame-pointer"="all" "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { nounwind willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{!"clang version 22.1.8"}
!3 = !{!4}
!4 = distinct !{!4, !5, !"_ZN4hlsl16StructuredBufferIiE19__createFromBindingEjjijPKc: %agg.result"}
!5 = distinct !{!5, !"_ZN4hlsl16StructuredBufferIiE19__createFromBindingEjjijPKc"}
!6 = !{}
!7 = !{i64 8}
!8 = !{!9}
!9 = distinct !{!9, !10, !"_ZN4hlsl16StructuredBufferIiE19__createFromBindingEjjijPKc: %agg.result"}
!10 = distinct !{!10, !"_ZN4hlsl16StructuredBufferIiE19__createFromBindingEjjijPKc"}
!11 = !{!12}
!12 = distinct !{!12, !13, !"_ZN4hlsl18RWStructuredBufferIiE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!13 = distinct !{!13, !"_ZN4hlsl18RWStructuredBufferIiE38__createFromBindingWithImplicitCounterEjjijPKcj"}
!14 = distinct !{!14, !15}
!15 = !{!"llvm.loop.mustprogress"}
!16 = distinct !{!16, !15}
