; clang-22 -x hlsl -target spirv-unknown-vulkan1.3-compute -fno-discard-value-names -emit-llvm -S -O0 matmul.hlsl -o matmul.hlsl.O0.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2,2 --workgroup 2,2
; CONVCHECK: --buffer t0=f32[16]:11.0,4.25,0.25,-7.5,-6.25,-14.75,-13.75,-15.5,-10.5,10.0,4.75,13.0,0.0,3.25,15.0,7.25
; CONVCHECK: --buffer t1=f32[16]:4.0,1.25,1.75,13.75,-7.25,10.0,5.25,-16.0,-3.5,11.25,1.5,-15.0,8.25,7.25,11.0,-10.5
; CONVCHECK: --buffer u0=f32[16]
; CONVCHECK: --buffer b0=u32[1]:4
; CONVCHECK: --show u0
; CHECK: u0 = f32[16]: -49.5625, 4.6875, -40.5625, 158.25, 2.1875, -422.375, -279.5, 519.0625, -23.875, 234.5625, 184.25, -512.125, -16.25, 253.8125, 119.3125, -353.125

source_filename = "matmul.hlsl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G10"
target triple = "spirv-unknown-vulkan1.3-compute"

%__cblayout_Sizes = type <{ i32 }>
%"class.hlsl::StructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x float], 12, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x float], 12, 1), target("spirv.VulkanBuffer", i32, 12, 1) }

@Sizes.cb = global target("spirv.VulkanBuffer", %__cblayout_Sizes, 2, 0) poison
@N = external hidden addrspace(12) global i32, align 4
@Sizes.str = private unnamed_addr constant [6 x i8] c"Sizes\00", align 1
@_ZL1A = internal global %"class.hlsl::StructuredBuffer" poison, align 8
@.str = private unnamed_addr constant [2 x i8] c"A\00", align 1
@_ZL1B = internal global %"class.hlsl::StructuredBuffer" poison, align 8
@.str.2 = private unnamed_addr constant [2 x i8] c"B\00", align 1
@_ZL1C = internal global %"class.hlsl::RWStructuredBuffer" poison, align 8
@.str.4 = private unnamed_addr constant [2 x i8] c"C\00", align 1
@As = hidden addrspace(3) global [2 x [2 x float]] zeroinitializer, align 4
@Bs = hidden addrspace(3) global [2 x [2 x float]] zeroinitializer, align 4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", %__cblayout_Sizes, 2, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_s___cblayout_Sizess_2_0t(i32, i32, i32, i32, ptr) #0

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #1

; Function Attrs: convergent noinline norecurse optnone
define void @main() #2 {
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
  %me.addr.i = alloca <3 x i32>, align 16
  %id.addr.i = alloca <3 x i32>, align 16
  %sum.i = alloca float, align 4
  %t.i = alloca i32, align 4
  %k.i = alloca i32, align 4
  %0 = call token @llvm.experimental.convergence.entry()
  %Sizes.cb_h.i.i = call target("spirv.VulkanBuffer", %__cblayout_Sizes, 2, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_s___cblayout_Sizess_2_0t(i32 0, i32 0, i32 1, i32 0, ptr @Sizes.str)
  store target("spirv.VulkanBuffer", %__cblayout_Sizes, 2, 0) %Sizes.cb_h.i.i, ptr @Sizes.cb, align 8
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  store ptr @_ZL1A, ptr %result.ptr.i.i, align 8, !noalias !4
  store i32 0, ptr %registerNo.addr.i.i, align 4, !noalias !4
  store i32 0, ptr %spaceNo.addr.i.i, align 4, !noalias !4
  store i32 1, ptr %range.addr.i.i, align 4, !noalias !4
  store i32 0, ptr %index.addr.i.i, align 4, !noalias !4
  store ptr @.str, ptr %name.addr.i.i, align 8, !noalias !4
  store ptr %tmp.i.i, ptr %this.addr.i8.i, align 8
  %this1.i9.i = load ptr, ptr %this.addr.i8.i, align 8
  store target("spirv.VulkanBuffer", [0 x float], 12, 0) poison, ptr %this1.i9.i, align 8
  %1 = load i32, ptr %registerNo.addr.i.i, align 4, !noalias !4
  %2 = load i32, ptr %spaceNo.addr.i.i, align 4, !noalias !4
  %3 = load i32, ptr %range.addr.i.i, align 4, !noalias !4
  %4 = load i32, ptr %index.addr.i.i, align 4, !noalias !4
  %5 = load ptr, ptr %name.addr.i.i, align 8, !noalias !4
  %6 = call target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32 %2, i32 %1, i32 %3, i32 %4, ptr %5)
  store target("spirv.VulkanBuffer", [0 x float], 12, 0) %6, ptr %tmp.i.i, align 8, !noalias !4
  store ptr @_ZL1A, ptr %this.addr.i12.i, align 8
  store ptr %tmp.i.i, ptr %other.addr.i13.i, align 8
  %this1.i14.i = load ptr, ptr %this.addr.i12.i, align 8
  %7 = load ptr, ptr %other.addr.i13.i, align 8, !nonnull !7, !align !8
  %8 = load target("spirv.VulkanBuffer", [0 x float], 12, 0), ptr %7, align 8
  store target("spirv.VulkanBuffer", [0 x float], 12, 0) %8, ptr %this1.i14.i, align 8
  call void @llvm.experimental.noalias.scope.decl(metadata !9)
  store ptr @_ZL1B, ptr %result.ptr.i.i.i, align 8, !noalias !9
  store i32 1, ptr %registerNo.addr.i.i.i, align 4, !noalias !9
  store i32 0, ptr %spaceNo.addr.i.i.i, align 4, !noalias !9
  store i32 1, ptr %range.addr.i.i.i, align 4, !noalias !9
  store i32 0, ptr %index.addr.i.i.i, align 4, !noalias !9
  store ptr @.str.2, ptr %name.addr.i.i.i, align 8, !noalias !9
  store ptr %tmp.i.i.i, ptr %this.addr.i.i, align 8
  %this1.i.i = load ptr, ptr %this.addr.i.i, align 8
  store target("spirv.VulkanBuffer", [0 x float], 12, 0) poison, ptr %this1.i.i, align 8
  %9 = load i32, ptr %registerNo.addr.i.i.i, align 4, !noalias !9
  %10 = load i32, ptr %spaceNo.addr.i.i.i, align 4, !noalias !9
  %11 = load i32, ptr %range.addr.i.i.i, align 4, !noalias !9
  %12 = load i32, ptr %index.addr.i.i.i, align 4, !noalias !9
  %13 = load ptr, ptr %name.addr.i.i.i, align 8, !noalias !9
  %14 = call target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32 %10, i32 %9, i32 %11, i32 %12, ptr %13)
  store target("spirv.VulkanBuffer", [0 x float], 12, 0) %14, ptr %tmp.i.i.i, align 8, !noalias !9
  store ptr @_ZL1B, ptr %this.addr.i10.i, align 8
  store ptr %tmp.i.i.i, ptr %other.addr.i.i, align 8
  %this1.i11.i = load ptr, ptr %this.addr.i10.i, align 8
  %15 = load ptr, ptr %other.addr.i.i, align 8, !nonnull !7, !align !8
  %16 = load target("spirv.VulkanBuffer", [0 x float], 12, 0), ptr %15, align 8
  store target("spirv.VulkanBuffer", [0 x float], 12, 0) %16, ptr %this1.i11.i, align 8
  call void @llvm.experimental.noalias.scope.decl(metadata !12)
  store ptr @_ZL1C, ptr %result.ptr.i1.i, align 8, !noalias !12
  store i32 0, ptr %registerNo.addr.i2.i, align 4, !noalias !12
  store i32 0, ptr %spaceNo.addr.i3.i, align 4, !noalias !12
  store i32 1, ptr %range.addr.i4.i, align 4, !noalias !12
  store i32 0, ptr %index.addr.i5.i, align 4, !noalias !12
  store ptr @.str.4, ptr %name.addr.i6.i, align 8, !noalias !12
  store i32 0, ptr %counterOrderId.addr.i.i, align 4, !noalias !12
  store ptr %tmp.i7.i, ptr %this.addr.i15.i, align 8
  %this1.i16.i = load ptr, ptr %this.addr.i15.i, align 8
  store target("spirv.VulkanBuffer", [0 x float], 12, 1) poison, ptr %this1.i16.i, align 8
  %17 = load i32, ptr %registerNo.addr.i2.i, align 4, !noalias !12
  %18 = load i32, ptr %spaceNo.addr.i3.i, align 4, !noalias !12
  %19 = load i32, ptr %range.addr.i4.i, align 4, !noalias !12
  %20 = load i32, ptr %index.addr.i5.i, align 4, !noalias !12
  %21 = load ptr, ptr %name.addr.i6.i, align 8, !noalias !12
  %22 = call target("spirv.VulkanBuffer", [0 x float], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_1t(i32 %18, i32 %17, i32 %19, i32 %20, ptr %21)
  store target("spirv.VulkanBuffer", [0 x float], 12, 1) %22, ptr %tmp.i7.i, align 8, !noalias !12
  %23 = load target("spirv.VulkanBuffer", [0 x float], 12, 1), ptr %tmp.i7.i, align 8, !noalias !12
  %24 = load i32, ptr %counterOrderId.addr.i.i, align 4, !noalias !12
  %25 = load i32, ptr %spaceNo.addr.i3.i, align 4, !noalias !12
  %26 = call target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1) %23, i32 %24, i32 %25)
  %__counter_handle.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %tmp.i7.i, i32 0, i32 1
  store target("spirv.VulkanBuffer", i32, 12, 1) %26, ptr %__counter_handle.i.i, align 8, !noalias !12
  store ptr @_ZL1C, ptr %this.addr.i17.i, align 8
  store ptr %tmp.i7.i, ptr %other.addr.i18.i, align 8
  %this1.i19.i = load ptr, ptr %this.addr.i17.i, align 8
  %27 = load ptr, ptr %other.addr.i18.i, align 8, !nonnull !7, !align !8
  %28 = load target("spirv.VulkanBuffer", [0 x float], 12, 1), ptr %27, align 8
  store target("spirv.VulkanBuffer", [0 x float], 12, 1) %28, ptr %this1.i19.i, align 8
  %29 = load ptr, ptr %other.addr.i18.i, align 8, !nonnull !7, !align !8
  %__counter_handle.i20.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %29, i32 0, i32 1
  %30 = load target("spirv.VulkanBuffer", i32, 12, 1), ptr %__counter_handle.i20.i, align 8
  %__counter_handle3.i.i = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %this1.i19.i, i32 0, i32 1
  store target("spirv.VulkanBuffer", i32, 12, 1) %30, ptr %__counter_handle3.i.i, align 8
  %31 = call i32 @llvm.spv.thread.id.in.group.i32(i32 0)
  %32 = insertelement <3 x i32> poison, i32 %31, i64 0
  %33 = call i32 @llvm.spv.thread.id.in.group.i32(i32 1)
  %34 = insertelement <3 x i32> %32, i32 %33, i64 1
  %35 = call i32 @llvm.spv.thread.id.in.group.i32(i32 2)
  %36 = insertelement <3 x i32> %34, i32 %35, i64 2
  %37 = call i32 @llvm.spv.thread.id.i32(i32 0)
  %38 = insertelement <3 x i32> poison, i32 %37, i64 0
  %39 = call i32 @llvm.spv.thread.id.i32(i32 1)
  %40 = insertelement <3 x i32> %38, i32 %39, i64 1
  %41 = call i32 @llvm.spv.thread.id.i32(i32 2)
  %42 = insertelement <3 x i32> %40, i32 %41, i64 2
  store <3 x i32> %36, ptr %me.addr.i, align 16
  store <3 x i32> %42, ptr %id.addr.i, align 16
  store float 0.000000e+00, ptr %sum.i, align 4
  store i32 0, ptr %t.i, align 4
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.end.i, %entry
  %43 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %0) ]
  %44 = load i32, ptr %t.i, align 4
  %45 = load i32, ptr addrspace(12) @N, align 4
  %cmp.i = icmp ult i32 %44, %45
  br i1 %cmp.i, label %for.body.i, label %_Z4mainDv3_jS_.exit

for.body.i:                                       ; preds = %for.cond.i
  %46 = load <3 x i32>, ptr %id.addr.i, align 16
  %47 = extractelement <3 x i32> %46, i64 1
  %48 = load i32, ptr addrspace(12) @N, align 4
  %mul.i = mul i32 %47, %48
  %49 = load i32, ptr %t.i, align 4
  %add.i = add i32 %mul.i, %49
  %50 = load <3 x i32>, ptr %me.addr.i, align 16
  %51 = extractelement <3 x i32> %50, i64 0
  %add1.i = add i32 %add.i, %51
  store ptr @_ZL1A, ptr %this.addr.i1, align 8
  store i32 %add1.i, ptr %Index.addr.i2, align 4
  %this1.i3 = load ptr, ptr %this.addr.i1, align 8
  %52 = load target("spirv.VulkanBuffer", [0 x float], 12, 0), ptr %this1.i3, align 8
  %53 = load i32, ptr %Index.addr.i2, align 4
  %54 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0) %52, i32 %53)
  %55 = load float, ptr addrspace(11) %54, align 4
  %56 = load <3 x i32>, ptr %me.addr.i, align 16
  %57 = extractelement <3 x i32> %56, i64 1
  %idxprom.i = zext i32 %57 to i64
  %arrayidx.i = getelementptr inbounds nuw [2 x [2 x float]], ptr addrspace(3) @As, i64 0, i64 %idxprom.i
  %58 = load <3 x i32>, ptr %me.addr.i, align 16
  %59 = extractelement <3 x i32> %58, i64 0
  %idxprom3.i = zext i32 %59 to i64
  %arrayidx4.i = getelementptr inbounds nuw [2 x float], ptr addrspace(3) %arrayidx.i, i64 0, i64 %idxprom3.i
  store float %55, ptr addrspace(3) %arrayidx4.i, align 4
  %60 = load i32, ptr %t.i, align 4
  %61 = load <3 x i32>, ptr %me.addr.i, align 16
  %62 = extractelement <3 x i32> %61, i64 1
  %add5.i = add i32 %60, %62
  %63 = load i32, ptr addrspace(12) @N, align 4
  %mul6.i = mul i32 %add5.i, %63
  %64 = load <3 x i32>, ptr %id.addr.i, align 16
  %65 = extractelement <3 x i32> %64, i64 0
  %add7.i = add i32 %mul6.i, %65
  store ptr @_ZL1B, ptr %this.addr.i, align 8
  store i32 %add7.i, ptr %Index.addr.i, align 4
  %this1.i = load ptr, ptr %this.addr.i, align 8
  %66 = load target("spirv.VulkanBuffer", [0 x float], 12, 0), ptr %this1.i, align 8
  %67 = load i32, ptr %Index.addr.i, align 4
  %68 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0) %66, i32 %67)
  %69 = load float, ptr addrspace(11) %68, align 4
  %70 = load <3 x i32>, ptr %me.addr.i, align 16
  %71 = extractelement <3 x i32> %70, i64 1
  %idxprom9.i = zext i32 %71 to i64
  %arrayidx10.i = getelementptr inbounds nuw [2 x [2 x float]], ptr addrspace(3) @Bs, i64 0, i64 %idxprom9.i
  %72 = load <3 x i32>, ptr %me.addr.i, align 16
  %73 = extractelement <3 x i32> %72, i64 0
  %idxprom11.i = zext i32 %73 to i64
  %arrayidx12.i = getelementptr inbounds nuw [2 x float], ptr addrspace(3) %arrayidx10.i, i64 0, i64 %idxprom11.i
  store float %69, ptr addrspace(3) %arrayidx12.i, align 4
  call spir_func void @llvm.spv.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %43) ]
  store i32 0, ptr %k.i, align 4
  br label %for.cond13.i

for.cond13.i:                                     ; preds = %for.body15.i, %for.body.i
  %74 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %43) ]
  %75 = load i32, ptr %k.i, align 4
  %cmp14.i = icmp ult i32 %75, 2
  br i1 %cmp14.i, label %for.body15.i, label %for.end.i

for.body15.i:                                     ; preds = %for.cond13.i
  %76 = load <3 x i32>, ptr %me.addr.i, align 16
  %77 = extractelement <3 x i32> %76, i64 1
  %idxprom16.i = zext i32 %77 to i64
  %arrayidx17.i = getelementptr inbounds nuw [2 x [2 x float]], ptr addrspace(3) @As, i64 0, i64 %idxprom16.i
  %78 = load i32, ptr %k.i, align 4
  %idxprom18.i = zext i32 %78 to i64
  %arrayidx19.i = getelementptr inbounds nuw [2 x float], ptr addrspace(3) %arrayidx17.i, i64 0, i64 %idxprom18.i
  %79 = load float, ptr addrspace(3) %arrayidx19.i, align 4
  %80 = load i32, ptr %k.i, align 4
  %idxprom20.i = zext i32 %80 to i64
  %arrayidx21.i = getelementptr inbounds nuw [2 x [2 x float]], ptr addrspace(3) @Bs, i64 0, i64 %idxprom20.i
  %81 = load <3 x i32>, ptr %me.addr.i, align 16
  %82 = extractelement <3 x i32> %81, i64 0
  %idxprom22.i = zext i32 %82 to i64
  %arrayidx23.i = getelementptr inbounds nuw [2 x float], ptr addrspace(3) %arrayidx21.i, i64 0, i64 %idxprom22.i
  %83 = load float, ptr addrspace(3) %arrayidx23.i, align 4
  %84 = load float, ptr %sum.i, align 4
  %85 = call reassoc nnan ninf nsz arcp afn float @llvm.fmuladd.f32(float %79, float %83, float %84)
  store float %85, ptr %sum.i, align 4
  %86 = load i32, ptr %k.i, align 4
  %inc.i = add i32 %86, 1
  store i32 %inc.i, ptr %k.i, align 4
  br label %for.cond13.i, !llvm.loop !15

for.end.i:                                        ; preds = %for.cond13.i
  call spir_func void @llvm.spv.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %43) ]
  %87 = load i32, ptr %t.i, align 4
  %add26.i = add i32 %87, 2
  store i32 %add26.i, ptr %t.i, align 4
  br label %for.cond.i, !llvm.loop !17

_Z4mainDv3_jS_.exit:                              ; preds = %for.cond.i
  %88 = load float, ptr %sum.i, align 4
  %89 = load <3 x i32>, ptr %id.addr.i, align 16
  %90 = extractelement <3 x i32> %89, i64 1
  %91 = load i32, ptr addrspace(12) @N, align 4
  %mul28.i = mul i32 %90, %91
  %92 = load <3 x i32>, ptr %id.addr.i, align 16
  %93 = extractelement <3 x i32> %92, i64 0
  %add29.i = add i32 %mul28.i, %93
  store ptr @_ZL1C, ptr %this.addr.i4, align 8
  store i32 %add29.i, ptr %Index.addr.i5, align 4
  %this1.i6 = load ptr, ptr %this.addr.i4, align 8
  %94 = load target("spirv.VulkanBuffer", [0 x float], 12, 1), ptr %this1.i6, align 8
  %95 = load i32, ptr %Index.addr.i5, align 4
  %96 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1) %94, i32 %95)
  store float %88, ptr addrspace(11) %96, align 4
  ret void
}

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.in.group.i32(i32) #3

; Function Attrs: nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.i32(i32) #3

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.loop() #1

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn
declare void @llvm.spv.group.memory.barrier.with.group.sync() #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32, i32, i32, i32, ptr) #0

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x float], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_1t(i32, i32, i32, i32, ptr) #0

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1), i32, i32) #0

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0), i32) #0

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1), i32) #0

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @llvm.experimental.noalias.scope.decl(metadata) #6

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
attributes #2 = { convergent noinline norecurse optnone "frame-pointer"="all" "hlsl.numthreads"="2,2,1" "hlsl.shader"="compute" "no-infs-fp-math"="false" "no-nans-fp-math"="false" "no-signed-zeros-fp-math"="false" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #3 = { nounwind willreturn memory(none) }
attributes #4 = { convergent nocallback nofree nosync nounwind willreturn }
attributes #5 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }

!hlsl.cbs = !{!0}
!llvm.module.flags = !{!1, !2}
!llvm.ident = !{!3}

!0 = !{ptr @Sizes.cb, ptr addrspace(12) @N}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!"clang version 22.1.8"}
!4 = !{!5}
!5 = distinct !{!5, !6, !"_ZN4hlsl16StructuredBufferIfE19__createFromBindingEjjijPKc: %agg.result"}
!6 = distinct !{!6, !"_ZN4hlsl16StructuredBufferIfE19__createFromBindingEjjijPKc"}
!7 = !{}
!8 = !{i64 8}
!9 = !{!10}
!10 = distinct !{!10, !11, !"_ZN4hlsl16StructuredBufferIfE19__createFromBindingEjjijPKc: %agg.result"}
!11 = distinct !{!11, !"_ZN4hlsl16StructuredBufferIfE19__createFromBindingEjjijPKc"}
!12 = !{!13}
!13 = distinct !{!13, !14, !"_ZN4hlsl18RWStructuredBufferIfE38__createFromBindingWithImplicitCounterEjjijPKcj: %agg.result"}
!14 = distinct !{!14, !"_ZN4hlsl18RWStructuredBufferIfE38__createFromBindingWithImplicitCounterEjjijPKcj"}
!15 = distinct !{!15, !16}
!16 = !{!"llvm.loop.mustprogress"}
!17 = distinct !{!17, !16}
