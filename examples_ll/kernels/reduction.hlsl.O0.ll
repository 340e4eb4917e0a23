; clang-22 -x hlsl -target spirv-unknown-vulkan1.3-compute -fno-discard-value-names -emit-llvm -S -O0 reduction.hlsl -o reduction.hlsl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 16
; CONVCHECK: --buffer t0=f32[32]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25,4.0,1.25,1.75,13.75,-7.25,10.0,5.25,-16.0,-3.5,11.25,1.5,-15.0,8.25,7.25,11.0,-10.5
; CONVCHECK: --buffer u0=f32[2]
; CONVCHECK: --show u0
; CHECK: u0 = f32[2]: 0.5, 23.0

source_filename = "reduction.hlsl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G10"
target triple = "spirv-unknown-vulkan1.3-compute"

%"class.hlsl::StructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x float], 12, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x float], 12, 1), target("spirv.VulkanBuffer", i32, 12, 1) }

@_ZL2In = internal global %"class.hlsl::StructuredBuffer" poison, align 8
@.str = private unnamed_addr constant [3 x i8] c"In\00", align 1
@_ZL3Out = internal global %"class.hlsl::RWStructuredBuffer" poison, align 8
@.str.2 = private unnamed_addr constant [4 x i8] c"Out\00", align 1
@Tile = hidden addrspace(3) global [16 x float] zeroinitializer, align 4

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
  %me.addr.i = alloca i32, align 4
  %id.addr.i = alloca <3 x i32>, align 16
  %stride.i = alloca i32, align 4
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
  store target("spirv.VulkanBuffer", [0 x float], 12, 0) poison, ptr %this1.i.i, align 8
  %1 = load i32, ptr %registerNo.addr.i.i, align 4, !noalias !3
  %2 = load i32, ptr %spaceNo.addr.i.i, align 4, !noalias !3
  %3 = load i32, ptr %range.addr.i.i, align 4, !noalias !3
  %4 = load i32, ptr %index.addr.i.i, align 4, !noalias !3
  %5 = load ptr, ptr %name.addr.i.i, align 8, !noalias !3
  %6 = call target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32 %2, i32 %1, i32 %3, i32 %4, ptr %5)
  store target("spirv.VulkanBuffer", [0 x float], 12, 0) %6, ptr %tmp.i.i, align 8, !noalias !3
  store ptr @_ZL2In, ptr %this.addr.i8.i, align 8
  store ptr %tmp.i.i, ptr %other.addr.i.i, align 8
  %this1.i9.i = load ptr, ptr %this.addr.i8.i, align 8
  %7 = load ptr, ptr %other.addr.i.i, align 8, !nonnull !6, !align !7
  %8 = load target("spirv.VulkanBuffer", [0 x float], 12, 0), ptr %7, align 8
  store target("spirv.VulkanBuffer", [0 x float], 12, 0) %8, ptr %this1.i9.i, align 8
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
  store target("spirv.VulkanBuffer", [0 x float], 12, 1) poison, ptr %this1.i11.i, align 8
  %9 = load i32, ptr %registerNo.addr.i2.i, align 4, !noalias !8
  %10 = load i32, ptr %spaceNo.addr.i3.i, align 4, !noalias !8
  %11 = load i32, ptr %range.addr.i4.i, align 4, !noalias !8
  %12 = load i32, ptr %index.addr.i5.i, align 4, !noalias !8
  %13 = load ptr, ptr %name.addr.i6.i, align 8, !noalias !8
  %14 = call target("spirv.VulkanBuffer", [0 x float], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_1t(i32 %10, i32 %9, i32 %11, i32 %12, ptr %13)
  store target("spirv.VulkanBuffer", [0 x float], 12, 1) %14, ptr %tmp.i7.i, align 8, !noalias !8
  %15 = load target("spirv.VulkanBuffer", [0 x float], 12, 1), ptr %tmp.i7.i, align 8, !noalias !8
  %16 = load i32, ptr %counterOrderId.addr.i.i, align 4, !noalias !8
  %17 = load i32, ptr %spaceNo.addr.i3.i, align 4, !noalias !8
  %18 = call target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1) %15, i32 %16, i32 %17)
  %__counter_handle.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %tmp.i7.i, i32 0, i32 1
  store target("spirv.VulkanBuffer", i32, 12, 1) %18, ptr %__counter_handle.i.i, align 8, !noalias !8
  store ptr @_ZL3Out, ptr %this.addr.i12.i, align 8
  store ptr %tmp.i7.i, ptr %other.addr.i13.i, align 8
  %this1.i14.i = load ptr, ptr %this.addr.i12.i, align 8
  %19 = load ptr, ptr %other.addr.i13.i, align 8, !nonnull !6, !align !7
  %20 = load target("spirv.VulkanBuffer", [0 x float], 12, 1), ptr %19, align 8
  store target("spirv.VulkanBuffer", [0 x float], 12, 1) %20, ptr %this1.i14.i, align 8
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
  %29 = call i32 @llvm.spv.flattened.thread.id.in.group()
  %30 = call i32 @llvm.spv.thread.id.i32(i32 0)
  %31 = insertelement <3 x i32> poison, i32 %30, i64 0
  %32 = call i32 @llvm.spv.thread.id.i32(i32 1)
  %33 = insertelement <3 x i32> %31, i32 %32, i64 1
  %34 = call i32 @llvm.spv.thread.id.i32(i32 2)
  %35 = insertelement <3 x i32> %33, i32 %34, i64 2
  store <3 x i32> %28, ptr %group.addr.i, align 16
  store i32 %29, ptr %me.addr.i, align 4
  store <3 x i32> %35, ptr %id.addr.i, align 16
  %36 = load <3 x i32>, ptr %id.addr.i, align 16
  %37 = extractelement <3 x i32> %36, i64 0
  store ptr @_ZL2In, ptr %this.addr.i, align 8
  store i32 %37, ptr %Index.addr.i, align 4
  %this1.i = load ptr, ptr %this.addr.i, align 8
  %38 = load target("spirv.VulkanBuffer", [0 x float], 12, 0), ptr %this1.i, align 8
  %39 = load i32, ptr %Index.addr.i, align 4
  %40 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0) %38, i32 %39)
  %41 = load float, ptr addrspace(11) %40, align 4
  %42 = load i32, ptr %me.addr.i, align 4
  %idxprom.i = zext i32 %42 to i64
  %arrayidx.i = getelementptr inbounds nuw [16 x float], ptr addrspace(3) @Tile, i64 0, i64 %idxprom.i
  store float %41, ptr addrspace(3) %arrayidx.i, align 4
  call spir_func void @llvm.spv.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %0) ]
  store i32 8, ptr %stride.i, align 4
  br label %for.cond.i

for.cond.i:                                       ; preds = %if.end.i, %entry
  %43 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %0) ]
  %44 = load i32, ptr %stride.i, align 4
  %cmp.i = icmp ugt i32 %44, 0
  br i1 %cmp.i, label %for.body.i, label %for.end.i

for.body.i:                                       ; preds = %for.cond.i
  %45 = load i32, ptr %me.addr.i, align 4
  %46 = load i32, ptr %stride.i, align 4
  %cmp2.i = icmp ult i32 %45, %46
  br i1 %cmp2.i, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %for.body.i
  %47 = load i32, ptr %me.addr.i, align 4
  %48 = load i32, ptr %stride.i, align 4
  %add.i = add i32 %47, %48
  %idxprom3.i = zext i32 %add.i to i64
  %arrayidx4.i = getelementptr inbounds nuw [16 x float], ptr addrspace(3) @Tile, i64 0, i64 %idxprom3.i
  %49 = load float, ptr addrspace(3) %arrayidx4.i, align 4
  %50 = load i32, ptr %me.addr.i, align 4
  %idxprom5.i = zext i32 %50 to i64
  %arrayidx6.i = getelementptr inbounds nuw [16 x float], ptr addrspace(3) @Tile, i64 0, i64 %idxprom5.i
  %51 = load float, ptr addrspace(3) %arrayidx6.i, align 4
  %add7.i = fadd reassoc nnan ninf nsz arcp afn float %51, %49
  store float %add7.i, ptr addrspace(3) %arrayidx6.i, align 4
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %for.body.i
  call spir_func void @llvm.spv.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %43) ]
  %52 = load i32, ptr %stride.i, align 4
  %shr.i = lshr i32 %52, 1
  store i32 %shr.i, ptr %stride.i, align 4
  br label %for.cond.i, !llvm.loop !11

for.end.i:                                        ; preds = %for.cond.i
  %53 = load i32, ptr %me.addr.i, align 4
  %cmp8.i = icmp eq i32 %53, 0
  br i1 %cmp8.i, label %if.then9.i, label %_Z4mainDv3_jjS_.exit

if.then9.i:                                       ; preds = %for.end.i
  %54 = load float, ptr addrspace(3) @Tile, align 4
  %55 = load <3 x i32>, ptr %group.addr.i, align 16
  %56 = extractelement <3 x i32> %55, i64 0
  store ptr @_ZL3Out, ptr %this.addr.i1, align 8
  store i32 %56, ptr %Index.addr.i2, align 4
  %this1.i3 = load ptr, ptr %this.addr.i1, align 8
  %57 = load target("spirv.VulkanBuffer", [0 x float], 12, 1), ptr %this1.i3, align 8
  %58 = load i32, ptr %Index.addr.i2, align 4
  %59 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1) %57, i32 %58)
  store float %54, ptr addrspace(11) %59, align 4
  br label %_Z4mainDv3_jjS_.exit

_Z4mainDv3_jjS_.exit:                             ; preds = %for.end.i, %if.then9.i
  ret void
}

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.spv.group.id.i32(i32) #2

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.spv.flattened.thread.id.in.group() #2

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.i32(i32) #2

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn
declare void @llvm.spv.group.memory.barrier.with.group.sync() #3

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.loop() #0

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32, i32, i32, i32, ptr) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x float], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_1t(i32, i32, i32, i32, ptr) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1), i32, i32) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0), i32) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1), i32) #4

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
!4 = distinct !{!4, !5, !"_ZN4hlsl16StructuredBufferIfE19__createFromBindingEjjijPKc: %agg.result"}
!5 = distinct !{!5, !"_ZN4hlsl16StructuredBufferIfE19__createFromBindingEjjijPKc"}
!6 = !{}
!7 = !{i64 8}
!8 = !{!9}
!9 = distinct !{!9, !10, !"_ZN4hlsl18RWStructuredBufferIfE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!10 = distinct !{!10, !"_ZN4hlsl18RWStructuredBufferIfE38__createFromBindingWithImplicitCounterEjjijPKcj"}
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.mustprogress"}
