; clang-22 -x hlsl -target spirv-unknown-vulkan1.3-compute -fno-discard-value-names -emit-llvm -S -O0 histogram.hlsl -o histogram.hlsl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 16 --subgroup-size 16
; CONVCHECK: --buffer t0=u32[32]:217,163,130,69,78,10,19,4,44,208,166,233,128,155,248,186,161,139,143,239,71,208,171,0,100,219,141,8,195,186,216,44
; CONVCHECK: --buffer u0=u32[16]
; CONVCHECK: --show u0
; CHECK: u0 = u32[16]: 3, 2, 3, 3, 2, 1, 2, 0, 4, 1, 1, 4, 2, 1, 0, 3

source_filename = "histogram.hlsl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G10"
target triple = "spirv-unknown-vulkan1.3-compute"

%"class.hlsl::StructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x i32], 12, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x i32], 12, 1), target("spirv.VulkanBuffer", i32, 12, 1) }

@_ZL2In = internal global %"class.hlsl::StructuredBuffer" poison, align 8
@.str = private unnamed_addr constant [3 x i8] c"In\00", align 1
@_ZL6Counts = internal global %"class.hlsl::RWStructuredBuffer" poison, align 8
@.str.2 = private unnamed_addr constant [7 x i8] c"Counts\00", align 1

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
  %group.addr.i = alloca <3 x i32>, align 16
  %id.addr.i = alloca <3 x i32>, align 16
  %value.i = alloca i32, align 4
  %bin.i = alloca i32, align 4
  %count.i = alloca i32, align 4
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
  store ptr @_ZL6Counts, ptr %result.ptr.i1.i, align 8, !noalias !8
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
  store ptr @_ZL6Counts, ptr %this.addr.i12.i, align 8
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
  %23 = call i32 @llvm.spv.group.id.i32(i32 0)
  %24 = insertelement <3 x i32> poison, i32 %23, i64 0
  %25 = call i32 @llvm.spv.group.id.i32(i32 1)
  %26 = insertelement <3 x i32> %24, i32 %25, i64 1
  %27 = call i32 @llvm.spv.group.id.i32(i32 2)
  %28 = insertelement <3 x i32> %26, i32 %27, i64 2
  %29 = call i32 @llvm.spv.thread.id.i32(i32 0)
  %30 = insertelement <3 x i32> poison, i32 %29, i64 0
  %31 = call i32 @llvm.spv.thread.id.i32(i32 1)
  %32 = insertelement <3 x i32> %30, i32 %31, i64 1
  %33 = call i32 @llvm.spv.thread.id.i32(i32 2)
  %34 = insertelement <3 x i32> %32, i32 %33, i64 2
  store <3 x i32> %28, ptr %group.addr.i, align 16
  store <3 x i32> %34, ptr %id.addr.i, align 16
  %35 = load <3 x i32>, ptr %id.addr.i, align 16
  %36 = extractelement <3 x i32> %35, i64 0
  store ptr @_ZL2In, ptr %this.addr.i, align 8
  store i32 %36, ptr %Index.addr.i, align 4
  %this1.i = load ptr, ptr %this.addr.i, align 8
  %37 = load target("spirv.VulkanBuffer", [0 x i32], 12, 0), ptr %this1.i, align 8
  %38 = load i32, ptr %Index.addr.i, align 4
  %39 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t(target("spirv.VulkanBuffer", [0 x i32], 12, 0) %37, i32 %38)
  %40 = load i32, ptr addrspace(11) %39, align 4
  %rem.i = urem i32 %40, 8
  store i32 %rem.i, ptr %value.i, align 4
  store i32 0, ptr %bin.i, align 4
  br label %for.cond.i

for.cond.i:                                       ; preds = %if.end.i, %entry
  %41 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %0) ]
  %42 = load i32, ptr %bin.i, align 4
  %cmp.i = icmp ult i32 %42, 8
  br i1 %cmp.i, label %for.body.i, label %_Z4mainDv3_jS_.exit

for.body.i:                                       ; preds = %for.cond.i
  %43 = load i32, ptr %value.i, align 4
  %44 = load i32, ptr %bin.i, align 4
  %cmp2.i = icmp eq i32 %43, %44
  %45 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 %cmp2.i) [ "convergencectrl"(token %41) ]
  store i32 %45, ptr %count.i, align 4
  %46 = call spir_func i1 @llvm.spv.wave.is.first.lane() [ "convergencectrl"(token %41) ]
  br i1 %46, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %for.body.i
  %47 = load i32, ptr %count.i, align 4
  %48 = load <3 x i32>, ptr %group.addr.i, align 16
  %49 = extractelement <3 x i32> %48, i64 0
  %mul.i = mul i32 %49, 8
  %50 = load i32, ptr %bin.i, align 4
  %add.i = add i32 %mul.i, %50
  store ptr @_ZL6Counts, ptr %this.addr.i1, align 8
  store i32 %add.i, ptr %Index.addr.i2, align 4
  %this1.i3 = load ptr, ptr %this.addr.i1, align 8
  %51 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %this1.i3, align 8
  %52 = load i32, ptr %Index.addr.i2, align 4
  %53 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %51, i32 %52)
  store i32 %47, ptr addrspace(11) %53, align 4
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %for.body.i
  %54 = load i32, ptr %bin.i, align 4
  %inc.i = add i32 %54, 1
  store i32 %inc.i, ptr %bin.i, align 4
  br label %for.cond.i, !llvm.loop !11

_Z4mainDv3_jS_.exit:                              ; preds = %for.cond.i
  ret void
}

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.spv.group.id.i32(i32) #2

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.i32(i32) #2

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.loop() #0

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.wave.active.countbits(i1) #0

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn
declare i1 @llvm.spv.wave.is.first.lane() #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32, i32, i32, i32, ptr) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32, i32, i32, i32, ptr) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1), i32, i32) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t(target("spirv.VulkanBuffer", [0 x i32], 12, 0), i32) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1), i32) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @llvm.experimental.noalias.scope.decl(metadata) #5

attributes #0 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent noinline norecurse optnone "frame-pointer"="all" "hlsl.numthreads"="16,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { nounwind willreturn memory(none) }
attributes #3 = { convergent nocallback nofree nosync nounwind willreturn }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{!"clang version 22.1.8"}
!3 = !{!4}
!4 = distinct !{!4, !5, !"_ZN4hlsl16StructuredBufferIjE19__createFromBindingEjjijPKc: %agg.result"}
!5 = distinct !{!5, !"_ZN4hlsl16StructuredBufferIjE19__createFromBindingEjjijPKc"}
!6 = !{}
!7 = !{i64 8}
!8 = !{!9}
!9 = distinct !{!9, !10, !"_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!10 = distinct !{!10, !"_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj"}
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.mustprogress"}
