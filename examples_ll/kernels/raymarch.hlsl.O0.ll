; clang-22 -x hlsl -target spirv-unknown-vulkan1.3-compute -fno-discard-value-names -emit-llvm -S -O0 raymarch.hlsl -o raymarch.hlsl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 8 --subgroup-size 8
; CONVCHECK: --buffer t0=f32[256]:3.75,3.0,2.0,1.0,1.0,0.0,0.25,0.0,0.5,3.25,2.5,3.5,2.0,2.25,3.75,2.75,3.0,2.5,2.0,3.5,1.0,3.25,2.5,0.0,1.5,3.25,2.0,0.0,3.0,2.75,3.25,0.5,0.75,3.75,0.0,2.0,0.25,1.0,1.75,1.5,1.5,0.0,0.0,0.25,0.0,2.5,2.0,2.5,1.5,2.75,3.0,1.5,1.75,3.75,3.0,3.75,1.5,2.5,3.75,2.5,3.25,2.75,2.75,1.5,4.0,1.0,2.25,2.75,3.25,2.0,1.5,1.0,1.5,1.75,2.75,3.5,0.25,3.5,2.0,1.25,3.0,2.75,1.0,1.25,2.75,2.25,2.0,1.25,3.0,1.5,1.25,3.5,1.0,0.75,2.75,2.25,0.5,0.75,1.5,3.25,1.5,3.0,1.25,0.75,3.0,3.5,0.25,0.0,2.5,1.25,2.25,0.5,3.75,2.25,3.5,3.0,2.75,0.75,3.0,0.0,2.25,1.5,3.75,0.75,3.75,0.25,2.25,2.25,4.0,1.5,3.5,2.5,3.5,0.75,3.0,3.75,0.0,1.25,2.5,0.25,2.0,2.5,3.0,3.5,2.0,2.25,1.75,3.75,0.75,1.75,0.0,1.5,3.75,2.25,1.25,3.75,2.25,3.75,0.0,1.75,3.75,3.5,1.5,1.75,1.5,2.0,0.75,3.0,0.25,1.5,1.0,2.75,2.75,2.75,3.5,3.5,1.0,0.75,0.5,2.75,3.75,3.5,2.5,3.75,3.25,0.0,0.25,3.25,0.25,3.75,3.25,3.75,1.75,1.0,2.0,3.75,1.25,3.5,1.5,3.25,0.75,1.75,1.25,0.75,3.5,3.0,0.5,3.5,4.25,1.5,1.5,2.0,2.5,1.75,0.5,3.5,2.75,0.0,3.25,2.75,0.5,2.25,2.0,0.0,4.0,3.25,1.0,0.0,0.25,3.0,0.5,2.0,3.5,3.5,1.0,0.25,1.75,3.25,2.25,0.25,3.0,1.75,0.75,1.5,3.25,3.75,0.5,2.0,3.0,1.0,1.0,0.75,0.75,3.5,0.75,0.75
; CONVCHECK: --buffer u0=f32[16]
; CONVCHECK: --buffer u1=u32[16]
; CONVCHECK: --show u0
; CONVCHECK: --show u1
; CHECK: u0 = f32[16]: 5.75, 16.25, 9.5, 16.75, 16.25, 17.5, 11.5, 18.0, 17.0, 16.75, 17.75, 9.25, 19.0, 16.0, 17.0, 16.75
; CHECK: u1 = u32[16]: 8, 6, 7, 6, 6, 6, 1, 6, 4, 6, 6, 8, 3, 8, 1, 3

source_filename = "raymarch.hlsl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G10"
target triple = "spirv-unknown-vulkan1.3-compute"

%"class.hlsl::StructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x float], 12, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x float], 12, 1), target("spirv.VulkanBuffer", i32, 12, 1) }
%"class.hlsl::RWStructuredBuffer.0" = type { target("spirv.VulkanBuffer", [0 x i32], 12, 1), target("spirv.VulkanBuffer", i32, 12, 1) }

@_ZL9Distances = internal global %"class.hlsl::StructuredBuffer" poison, align 8
@.str = private unnamed_addr constant [10 x i8] c"Distances\00", align 1
@_ZL5Depth = internal global %"class.hlsl::RWStructuredBuffer" poison, align 8
@.str.2 = private unnamed_addr constant [6 x i8] c"Depth\00", align 1
@_ZL8Together = internal global %"class.hlsl::RWStructuredBuffer.0" poison, align 8
@.str.4 = private unnamed_addr constant [9 x i8] c"Together\00", align 1

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #0

; Function Attrs: convergent noinline norecurse optnone
define void @main() #1 {
entry:
  %this.addr.i27.i = alloca ptr, align 8
  %other.addr.i28.i = alloca ptr, align 8
  %this.addr.i25.i = alloca ptr, align 8
  %this.addr.i21.i = alloca ptr, align 8
  %other.addr.i22.i = alloca ptr, align 8
  %this.addr.i19.i = alloca ptr, align 8
  %this.addr.i17.i = alloca ptr, align 8
  %other.addr.i.i = alloca ptr, align 8
  %this.addr.i.i = alloca ptr, align 8
  %result.ptr.i8.i = alloca ptr, align 8
  %registerNo.addr.i9.i = alloca i32, align 4
  %spaceNo.addr.i10.i = alloca i32, align 4
  %range.addr.i11.i = alloca i32, align 4
  %index.addr.i12.i = alloca i32, align 4
  %name.addr.i13.i = alloca ptr, align 8
  %counterOrderId.addr.i14.i = alloca i32, align 4
  %tmp.i15.i = alloca %"class.hlsl::RWStructuredBuffer.0", align 8
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
  %this.addr.i4 = alloca ptr, align 8
  %Index.addr.i5 = alloca i32, align 4
  %this.addr.i1 = alloca ptr, align 8
  %Index.addr.i2 = alloca i32, align 4
  %this.addr.i = alloca ptr, align 8
  %Index.addr.i = alloca i32, align 4
  %id.addr.i = alloca <3 x i32>, align 16
  %t.i = alloca float, align 4
  %last.i = alloca i32, align 4
  %unobstructed.i = alloca float, align 4
  %0 = call token @llvm.experimental.convergence.entry()
  call void @llvm.experimental.noalias.scope.decl(metadata !3)
  store ptr @_ZL9Distances, ptr %result.ptr.i.i, align 8, !noalias !3
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
  store ptr @_ZL9Distances, ptr %this.addr.i17.i, align 8
  store ptr %tmp.i.i, ptr %other.addr.i.i, align 8
  %this1.i18.i = load ptr, ptr %this.addr.i17.i, align 8
  %7 = load ptr, ptr %other.addr.i.i, align 8, !nonnull !6, !align !7
  %8 = load target("spirv.VulkanBuffer", [0 x float], 12, 0), ptr %7, align 8
  store target("spirv.VulkanBuffer", [0 x float], 12, 0) %8, ptr %this1.i18.i, align 8
  call void @llvm.experimental.noalias.scope.decl(metadata !8)
  store ptr @_ZL5Depth, ptr %result.ptr.i1.i, align 8, !noalias !8
  store i32 0, ptr %registerNo.addr.i2.i, align 4, !noalias !8
  store i32 0, ptr %spaceNo.addr.i3.i, align 4, !noalias !8
  store i32 1, ptr %range.addr.i4.i, align 4, !noalias !8
  store i32 0, ptr %index.addr.i5.i, align 4, !noalias !8
  store ptr @.str.2, ptr %name.addr.i6.i, align 8, !noalias !8
  store i32 0, ptr %counterOrderId.addr.i.i, align 4, !noalias !8
  store ptr %tmp.i7.i, ptr %this.addr.i19.i, align 8
  %this1.i20.i = load ptr, ptr %this.addr.i19.i, align 8
  store target("spirv.VulkanBuffer", [0 x float], 12, 1) poison, ptr %this1.i20.i, align 8
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
  store ptr @_ZL5Depth, ptr %this.addr.i21.i, align 8
  store ptr %tmp.i7.i, ptr %other.addr.i22.i, align 8
  %this1.i23.i = load ptr, ptr %this.addr.i21.i, align 8
  %19 = load ptr, ptr %other.addr.i22.i, align 8, !nonnull !6, !align !7
  %20 = load target("spirv.VulkanBuffer", [0 x float], 12, 1), ptr %19, align 8
  store target("spirv.VulkanBuffer", [0 x float], 12, 1) %20, ptr %this1.i23.i, align 8
  %21 = load ptr, ptr %other.addr.i22.i, align 8, !nonnull !6, !align !7
  %__counter_handle.i24.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %21, i32 0, i32 1
  %22 = load target("spirv.VulkanBuffer", i32, 12, 1), ptr %__counter_handle.i24.i, align 8
  %__counter_handle3.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %this1.i23.i, i32 0, i32 1
  store target("spirv.VulkanBuffer", i32, 12, 1) %22, ptr %__counter_handle3.i.i, align 8
  call void @llvm.experimental.noalias.scope.decl(metadata !11)
  store ptr @_ZL8Together, ptr %result.ptr.i8.i, align 8, !noalias !11
  store i32 1, ptr %registerNo.addr.i9.i, align 4, !noalias !11
  store i32 0, ptr %spaceNo.addr.i10.i, align 4, !noalias !11
  store i32 1, ptr %range.addr.i11.i, align 4, !noalias !11
  store i32 0, ptr %index.addr.i12.i, align 4, !noalias !11
  store ptr @.str.4, ptr %name.addr.i13.i, align 8, !noalias !11
  store i32 1, ptr %counterOrderId.addr.i14.i, align 4, !noalias !11
  store ptr %tmp.i15.i, ptr %this.addr.i25.i, align 8
  %this1.i26.i = load ptr, ptr %this.addr.i25.i, align 8
  store target("spirv.VulkanBuffer", [0 x i32], 12, 1) poison, ptr %this1.i26.i, align 8
  %23 = load i32, ptr %registerNo.addr.i9.i, align 4, !noalias !11
  %24 = load i32, ptr %spaceNo.addr.i10.i, align 4, !noalias !11
  %25 = load i32, ptr %range.addr.i11.i, align 4, !noalias !11
  %26 = load i32, ptr %index.addr.i12.i, align 4, !noalias !11
  %27 = load ptr, ptr %name.addr.i13.i, align 8, !noalias !11
  %28 = call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 %24, i32 %23, i32 %25, i32 %26, ptr %27)
  store target("spirv.VulkanBuffer", [0 x i32], 12, 1) %28, ptr %tmp.i15.i, align 8, !noalias !11
  %29 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %tmp.i15.i, align 8, !noalias !11
  %30 = load i32, ptr %counterOrderId.addr.i14.i, align 4, !noalias !11
  %31 = load i32, ptr %spaceNo.addr.i10.i, align 4, !noalias !11
  %32 = call target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %29, i32 %30, i32 %31)
  %__counter_handle.i16.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer.0", ptr %tmp.i15.i, i32 0, i32 1
  store target("spirv.VulkanBuffer", i32, 12, 1) %32, ptr %__counter_handle.i16.i, align 8, !noalias !11
  store ptr @_ZL8Together, ptr %this.addr.i27.i, align 8
  store ptr %tmp.i15.i, ptr %other.addr.i28.i, align 8
  %this1.i29.i = load ptr, ptr %this.addr.i27.i, align 8
  %33 = load ptr, ptr %other.addr.i28.i, align 8, !nonnull !6, !align !7
  %34 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %33, align 8
  store target("spirv.VulkanBuffer", [0 x i32], 12, 1) %34, ptr %this1.i29.i, align 8
  %35 = load ptr, ptr %other.addr.i28.i, align 8, !nonnull !6, !align !7
  %__counter_handle.i30.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer.0", ptr %35, i32 0, i32 1
  %36 = load target("spirv.VulkanBuffer", i32, 12, 1), ptr %__counter_handle.i30.i, align 8
  %__counter_handle3.i31.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer.0", ptr %this1.i29.i, i32 0, i32 1
  store target("spirv.VulkanBuffer", i32, 12, 1) %36, ptr %__counter_handle3.i31.i, align 8
  %37 = call i32 @llvm.spv.thread.id.i32(i32 0)
  %38 = insertelement <3 x i32> poison, i32 %37, i64 0
  %39 = call i32 @llvm.spv.thread.id.i32(i32 1)
  %40 = insertelement <3 x i32> %38, i32 %39, i64 1
  %41 = call i32 @llvm.spv.thread.id.i32(i32 2)
  %42 = insertelement <3 x i32> %40, i32 %41, i64 2
  store <3 x i32> %42, ptr %id.addr.i, align 16
  store float 0.000000e+00, ptr %t.i, align 4
  store i32 0, ptr %last.i, align 4
  br label %while.cond.i

while.cond.i:                                     ; preds = %if.end.i, %entry
  %43 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %0) ]
  %44 = load float, ptr %t.i, align 4
  %cmp.i = fcmp reassoc nnan ninf nsz arcp afn olt float %44, 1.600000e+01
  br i1 %cmp.i, label %while.body.i, label %_Z4mainDv3_j.exit

while.body.i:                                     ; preds = %while.cond.i
  %45 = load <3 x i32>, ptr %id.addr.i, align 16
  %46 = extractelement <3 x i32> %45, i64 0
  %mul.i = mul i32 %46, 16
  %47 = load float, ptr %t.i, align 4
  %conv.i = fptoui float %47 to i32
  %add.i = add i32 %mul.i, %conv.i
  store ptr @_ZL9Distances, ptr %this.addr.i, align 8
  store i32 %add.i, ptr %Index.addr.i, align 4
  %this1.i = load ptr, ptr %this.addr.i, align 8
  %48 = load target("spirv.VulkanBuffer", [0 x float], 12, 0), ptr %this1.i, align 8
  %49 = load i32, ptr %Index.addr.i, align 4
  %50 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0) %48, i32 %49)
  %51 = load float, ptr addrspace(11) %50, align 4
  store float %51, ptr %unobstructed.i, align 4
  %52 = load float, ptr %unobstructed.i, align 4
  %cmp2.i = fcmp reassoc nnan ninf nsz arcp afn olt float %52, 2.500000e-01
  br i1 %cmp2.i, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %while.body.i
  br label %_Z4mainDv3_j.exit

if.end.i:                                         ; preds = %while.body.i
  %53 = load float, ptr %unobstructed.i, align 4
  %54 = load float, ptr %t.i, align 4
  %add3.i = fadd reassoc nnan ninf nsz arcp afn float %54, %53
  store float %add3.i, ptr %t.i, align 4
  %55 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 true) [ "convergencectrl"(token %43) ]
  store i32 %55, ptr %last.i, align 4
  br label %while.cond.i, !llvm.loop !14

_Z4mainDv3_j.exit:                                ; preds = %while.cond.i, %if.then.i
  %56 = load float, ptr %t.i, align 4
  %57 = load <3 x i32>, ptr %id.addr.i, align 16
  %58 = extractelement <3 x i32> %57, i64 0
  store ptr @_ZL5Depth, ptr %this.addr.i1, align 8
  store i32 %58, ptr %Index.addr.i2, align 4
  %this1.i3 = load ptr, ptr %this.addr.i1, align 8
  %59 = load target("spirv.VulkanBuffer", [0 x float], 12, 1), ptr %this1.i3, align 8
  %60 = load i32, ptr %Index.addr.i2, align 4
  %61 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1) %59, i32 %60)
  store float %56, ptr addrspace(11) %61, align 4
  %62 = load i32, ptr %last.i, align 4
  %63 = load <3 x i32>, ptr %id.addr.i, align 16
  %64 = extractelement <3 x i32> %63, i64 0
  store ptr @_ZL8Together, ptr %this.addr.i4, align 8
  store i32 %64, ptr %Index.addr.i5, align 4
  %this1.i6 = load ptr, ptr %this.addr.i4, align 8
  %65 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %this1.i6, align 8
  %66 = load i32, ptr %Index.addr.i5, align 4
  %67 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %65, i32 %66)
  store i32 %62, ptr addrspace(11) %67, align 4
  ret void
}

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.i32(i32) #2

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.loop() #0

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.wave.active.countbits(i1) #0

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32, i32, i32, i32, ptr) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x float], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_1t(i32, i32, i32, i32, ptr) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1), i32, i32) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32, i32, i32, i32, ptr) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1), i32, i32) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0), i32) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1), i32) #3

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
!4 = distinct !{!4, !5, !"_ZN4hlsl16StructuredBufferIfE19__createFromBindingEjjijPKc: %agg.result"}
!5 = distinct !{!5, !"_ZN4hlsl16StructuredBufferIfE19__createFromBindingEjjijPKc"}
!6 = !{}
!7 = !{i64 8}
!8 = !{!9}
!9 = distinct !{!9, !10, !"_ZN4hlsl18RWStructuredBufferIfE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!10 = distinct !{!10, !"_ZN4hlsl18RWStructuredBufferIfE38__createFromBindingWithImplicitCounterEjjijPKcj"}
!11 = !{!12}
!12 = distinct !{!12, !13, !"_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!13 = distinct !{!13, !"_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj"}
!14 = distinct !{!14, !15}
!15 = !{!"llvm.loop.mustprogress"}
