; clang-22 -x hlsl -target spirv-unknown-vulkan1.3-compute -fno-discard-value-names -emit-llvm -S -O0 butterfly.hlsl -o butterfly.hlsl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 16 --subgroup-size 16
; CONVCHECK: --buffer t0=i32[32]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22,13,4,5,43,-23,31,17,-50,-11,35,5,-47,26,22,34,-33
; CONVCHECK: --buffer u0=i32[32]
; CONVCHECK: --show u0
; CHECK: u0 = i32[32]: -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 71, 71, 71, 71, 71, 71, 71, 71, 71, 71, 71, 71, 71, 71, 71, 71

source_filename = "butterfly.hlsl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G10"
target triple = "spirv-unknown-vulkan1.3-compute"

%"class.hlsl::StructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x i32], 12, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x i32], 12, 1), target("spirv.VulkanBuffer", i32, 12, 1) }

@_ZL2In = internal global %"class.hlsl::StructuredBuffer" poison, align 8
@.str = private unnamed_addr constant [3 x i8] c"In\00", align 1
@_ZL3Out = internal global %"class.hlsl::RWStructuredBuffer" poison, align 8
@.str.2 = private unnamed_addr constant [4 x i8] c"Out\00", align 1

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #0

; Function Attrs: convergent noinline norecurse optnone
define void @main() #1 {
entry:
  %this.addr.i12.i = alloca ptr, align 8
  %other.addr.i13.i = alloca ptr, align 8
  %this.addr.i10.i = alloca ptr, align 8
  %this.addr.i8.i = alloca ptr, align 8
  %other.addr.i.i = alloca ptr, align 8
  %this.addr.i.i = alloca ptr, align 8
  %result.ptr.i1.i = alloca ptr, align 8
  %registerNo.addr.i2.i = alloca i32, align 4
  %spaceNo.addr.i3.i = alloca i32, align 4
  %range.addr.i4.i = alloca i32, align 4
  %index.addr.i5.i = alloca i32, align 4
  %name.addr.i6.i = alloca ptr, align 8
  %counterOrderId.addr.i.i = alloca i32, align 4
  %tmp.i7.i = alloca %"class.hlsl::RWStructuredBuffer", align 8
  %result.ptr.i.i = alloca ptr, align 8
  %registerNo.addr.i.i = alloca i32, align 4
  %spaceNo.addr.i.i = alloca i32, align 4
  %range.addr.i.i = alloca i32, align 4
  %index.addr.i.i = alloca i32, align 4
  %name.addr.i.i = alloca ptr, align 8
  %tmp.i.i = alloca %"class.hlsl::StructuredBuffer", align 8
  %this.addr.i1 = alloca ptr, align 8
  %Index.addr.i2 = alloca i32, align 4
  %this.addr.i = alloca ptr, align 8
  %Index.addr.i = alloca i32, align 4
  %id.addr.i = alloca <3 x i32>, align 16
  %sum.i = alloca i32, align 4
  %bit.i = alloca i32, align 4
  %0 = call token @llvm.experimental.convergence.entry()
  call void @llvm.experimental.noalias.scope.decl(metadata !3)
  store ptr @_ZL2In, ptr %result.ptr.i.i, align 8, !noalias !3
  store i32 0, ptr %registerNo.addr.i.i, align 4, !noalias !3
  store i32 0, ptr %spaceNo.addr.i.i, align 4, !noalias !3
  store i32 1, ptr %range.addr.i.i, align 4, !noalias !3
  store i32 0, ptr %index.addr.i.i, align 4, !noalias !3
  store ptr @.str, ptr %name.addr.i.i, align 8, !noalias !3
  store ptr %tmp.i.i, ptr %this.addr.i.i, align 8
  %this1.i.i = load ptr, ptr %this.addr.i.i, align 8
  store target("spirv.VulkanBuffer", [0 x i32], 12, 0) poison, ptr %this1.i.i, align 8
  %1 = load i32, ptr %registerNo.addr.i.i, align 4, !noalias !3
  %2 = load i32, ptr %spaceNo.addr.i.i, align 4, !noalias !3
  %3 = load i32, ptr %range.addr.i.i, align 4, !noalias !3
  %4 = load i32, ptr %index.addr.i.i, align 4, !noalias !3
  %5 = load ptr, ptr %name.addr.i.i, align 8, !noalias !3
  %6 = call target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32 %2, i32 %1, i32 %3, i32 %4, ptr %5)
  store target("spirv.VulkanBuffer", [0 x i32], 12, 0) %6, ptr %tmp.i.i, align 8, !noalias !3
  store ptr @_ZL2In, ptr %this.addr.i8.i, align 8
  store ptr %tmp.i.i, ptr %other.addr.i.i, align 8
  %this1.i9.i = load ptr, ptr %this.addr.i8.i, align 8
  %7 = load ptr, ptr %other.addr.i.i, align 8, !nonnull !6, !align !7
  %8 = load target("spirv.VulkanBuffer", [0 x i32], 12, 0), ptr %7, align 8
  store target("spirv.VulkanBuffer", [0 x i32], 12, 0) %8, ptr %this1.i9.i, align 8
  call void @llvm.experimental.noalias.scope.decl(metadata !8)
  store ptr @_ZL3Out, ptr %result.ptr.i1.i, align 8, !noalias !8
  store i32 0, ptr %registerNo.addr.i2.i, align 4, !noalias !8
  store i32 0, ptr %spaceNo.addr.i3.i, align 4, !noalias !8
  store i32 1, ptr %range.addr.i4.i, align 4, !noalias !8
  store i32 0, ptr %index.addr.i5.i, align 4, !noalias !8
  store ptr @.str.2, ptr %name.addr.i6.i, align 8, !noalias !8
  store i32 0, ptr %counterOrderId.addr.i.i, align 4, !noalias !8
  store ptr %tmp.i7.i, ptr %this.addr.i10.i, align 8
  %this1.i11.i = load ptr, ptr %this.addr.i10.i, align 8
  store target("spirv.VulkanBuffer", [0 x i32], 12, 1) poison, ptr %this1.i11.i, align 8
  %9 = load i32, ptr %registerNo.addr.i2.i, align 4, !noalias !8
  %10 = load i32, ptr %spaceNo.addr.i3.i, align 4, !noalias !8
  %11 = load i32, ptr %range.addr.i4.i, align 4, !noalias !8
  %12 = load i32, ptr %index.addr.i5.i, align 4, !noalias !8
  %13 = load ptr, ptr %name.addr.i6.i, align 8, !noalias !8
  %14 = call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 %10, i32 %9, i32 %11, i32 %12, ptr %13)
  store target("spirv.VulkanBuffer", [0 x i32], 12, 1) %14, ptr %tmp.i7.i, align 8, !noalias !8
  %15 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %tmp.i7.i, align 8, !noalias !8
  %16 = load i32, ptr %counterOrderId.addr.i.i, align 4, !noalias !8
  %17 = load i32, ptr %spaceNo.addr.i3.i, align 4, !noalias !8
  %18 = call target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %15, i32 %16, i32 %17)
  %__counter_handle.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %tmp.i7.i, i32 0, i32 1
  store target("spirv.VulkanBuffer", i32, 12, 1) %18, ptr %__counter_handle.i.i, align 8, !noalias !8
  store ptr @_ZL3Out, ptr %this.addr.i12.i, align 8
  store ptr %tmp.i7.i, ptr %other.addr.i13.i, align 8
  %this1.i14.i = load ptr, ptr %this.addr.i12.i, align 8
  %19 = load ptr, ptr %other.addr.i13.i, align 8, !nonnull !6, !align !7
  %20 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %19, align 8
  store target("spirv.VulkanBuffer", [0 x i32], 12, 1) %20, ptr %this1.i14.i, align 8
  %21 = load ptr, ptr %other.addr.i13.i, align 8, !nonnull !6, !align !7
  %__counter_handle.i15.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %21, i32 0, i32 1
  %22 = load target("spirv.VulkanBuffer", i32, 12, 1), ptr %__counter_handle.i15.i, align 8
  %__counter_handle3.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %this1.i14.i, i32 0, i32 1
  store target("spirv.VulkanBuffer", i32, 12, 1) %22, ptr %__counter_handle3.i.i, align 8
  %23 = call i32 @llvm.spv.thread.id.i32(i32 0)
  %24 = insertelement <3 x i32> poison, i32 %23, i64 0
  %25 = call i32 @llvm.spv.thread.id.i32(i32 1)
  %26 = insertelement <3 x i32> %24, i32 %25, i64 1
  %27 = call i32 @llvm.spv.thread.id.i32(i32 2)
  %28 = insertelement <3 x i32> %26, i32 %27, i64 2
  store <3 x i32> %28, ptr %id.addr.i, align 16
  %29 = load <3 x i32>, ptr %id.addr.i, align 16
  %30 = extractelement <3 x i32> %29, i64 0
  store ptr @_ZL2In, ptr %this.addr.i, align 8
  store i32 %30, ptr %Index.addr.i, align 4
  %this1.i = load ptr, ptr %this.addr.i, align 8
  %31 = load target("spirv.VulkanBuffer", [0 x i32], 12, 0), ptr %this1.i, align 8
  %32 = load i32, ptr %Index.addr.i, align 4
  %33 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t(target("spirv.VulkanBuffer", [0 x i32], 12, 0) %31, i32 %32)
  %34 = load i32, ptr addrspace(11) %33, align 4
  store i32 %34, ptr %sum.i, align 4
  store i32 1, ptr %bit.i, align 4
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.body.i, %entry
  %35 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %0) ]
  %36 = load i32, ptr %bit.i, align 4
  %37 = call spir_func i32 @llvm.spv.wave.get.lane.count() [ "convergencectrl"(token %35) ]
  %cmp.i = icmp ult i32 %36, %37
  br i1 %cmp.i, label %for.body.i, label %_Z4mainDv3_j.exit

for.body.i:                                       ; preds = %for.cond.i
  %38 = load i32, ptr %sum.i, align 4
  %39 = call spir_func i32 @__hlsl_wave_get_lane_index() #7 [ "convergencectrl"(token %35) ]
  %40 = load i32, ptr %bit.i, align 4
  %xor.i = xor i32 %39, %40
  %hlsl.wave.readlane2.i = call spir_func i32 @llvm.spv.wave.readlane.i32(i32 %38, i32 %xor.i) [ "convergencectrl"(token %35) ]
  %41 = load i32, ptr %sum.i, align 4
  %add.i = add nsw i32 %41, %hlsl.wave.readlane2.i
  store i32 %add.i, ptr %sum.i, align 4
  %42 = load i32, ptr %bit.i, align 4
  %shl.i = shl i32 %42, 1
  store i32 %shl.i, ptr %bit.i, align 4
  br label %for.cond.i, !llvm.loop !11

_Z4mainDv3_j.exit:                                ; preds = %for.cond.i
  %43 = load i32, ptr %sum.i, align 4
  %44 = load <3 x i32>, ptr %id.addr.i, align 16
  %45 = extractelement <3 x i32> %44, i64 0
  store ptr @_ZL3Out, ptr %this.addr.i1, align 8
  store i32 %45, ptr %Index.addr.i2, align 4
  %this1.i3 = load ptr, ptr %this.addr.i1, align 8
  %46 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %this1.i3, align 8
  %47 = load i32, ptr %Index.addr.i2, align 4
  %48 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %46, i32 %47)
  store i32 %43, ptr addrspace(11) %48, align 4
  ret void
}

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.i32(i32) #2

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.loop() #0

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn
declare i32 @llvm.spv.wave.get.lane.count() #3

; Function Attrs: convergent
declare spir_func i32 @__hlsl_wave_get_lane_index() #4

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.wave.readlane.i32(i32, i32) #0

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32, i32, i32, i32, ptr) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32, i32, i32, i32, ptr) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1), i32, i32) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t(target("spirv.VulkanBuffer", [0 x i32], 12, 0), i32) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1), i32) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @llvm.experimental.noalias.scope.decl(metadata) #6

attributes #0 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent noinline norecurse optnone "frame-pointer"="all" "hlsl.numthreads"="16,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { nounwind willreturn memory(none) }
attributes #3 = { convergent nocallback nofree nosync nounwind willreturn }
attributes #4 = { convergent }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #6 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #7 = { nounwind }

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
!9 = distinct !{!9, !10, !"_ZN4hlsl18RWStructuredBufferIiE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!10 = distinct !{!10, !"_ZN4hlsl18RWStructuredBufferIiE38__createFromBindingWithImplicitCounterEjjijPKcj"}
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.mustprogress"}
