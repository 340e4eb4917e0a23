; clang-22 -x hlsl -target spirv-unknown-vulkan1.3-compute -fno-discard-value-names -emit-llvm -S -O2 matmul.hlsl -o matmul.hlsl.O2.ll
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

@Sizes.cb = local_unnamed_addr global target("spirv.VulkanBuffer", %__cblayout_Sizes, 2, 0) poison
@N = external hidden local_unnamed_addr addrspace(12) global i32, align 4
@Sizes.str = private unnamed_addr constant [6 x i8] c"Sizes\00", align 1
@.str = private unnamed_addr constant [2 x i8] c"A\00", align 1
@.str.2 = private unnamed_addr constant [2 x i8] c"B\00", align 1
@.str.4 = private unnamed_addr constant [2 x i8] c"C\00", align 1
@As = hidden local_unnamed_addr addrspace(3) global [2 x [2 x float]] zeroinitializer, align 4
@Bs = hidden local_unnamed_addr addrspace(3) global [2 x [2 x float]] zeroinitializer, align 4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", %__cblayout_Sizes, 2, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_s___cblayout_Sizess_2_0t(i32, i32, i32, i32, ptr) #0

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #1

; Function Attrs: convergent nofree noinline norecurse nosync nounwind
define void @main() local_unnamed_addr #2 {
entry:
  %0 = tail call token @llvm.experimental.convergence.entry()
  %Sizes.cb_h.i.i = tail call target("spirv.VulkanBuffer", %__cblayout_Sizes, 2, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_s___cblayout_Sizess_2_0t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @Sizes.str)
  store target("spirv.VulkanBuffer", %__cblayout_Sizes, 2, 0) %Sizes.cb_h.i.i, ptr @Sizes.cb, align 8
  %1 = tail call target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str)
  %2 = tail call target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32 0, i32 1, i32 1, i32 0, ptr nonnull @.str.2)
  %3 = tail call i32 @llvm.spv.thread.id.in.group.i32(i32 0)
  %4 = tail call i32 @llvm.spv.thread.id.in.group.i32(i32 1)
  %5 = tail call i32 @llvm.spv.thread.id.i32(i32 0)
  %6 = tail call i32 @llvm.spv.thread.id.i32(i32 1)
  %idxprom.i = zext i32 %4 to i64
  %arrayidx.i = getelementptr inbounds nuw [2 x float], ptr addrspace(3) @As, i64 %idxprom.i
  %idxprom3.i = zext i32 %3 to i64
  %arrayidx4.i = getelementptr inbounds nuw float, ptr addrspace(3) %arrayidx.i, i64 %idxprom3.i
  %arrayidx10.i = getelementptr inbounds nuw [2 x float], ptr addrspace(3) @Bs, i64 %idxprom.i
  %arrayidx12.i = getelementptr inbounds nuw float, ptr addrspace(3) %arrayidx10.i, i64 %idxprom3.i
  %invariant.gep = getelementptr inbounds nuw float, ptr addrspace(3) @Bs, i64 %idxprom3.i
  %arrayidx20.i.1 = getelementptr inbounds nuw i8, ptr addrspace(3) %arrayidx.i, i64 4
  %gep.1 = getelementptr inbounds nuw i8, ptr addrspace(3) %invariant.gep, i64 8
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.body.i, %entry
  %sum.0.i = phi nsz float [ 0.000000e+00, %entry ], [ %18, %for.body.i ]
  %t.0.i = phi i32 [ 0, %entry ], [ %add27.i, %for.body.i ]
  %7 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %0) ]
  %8 = load i32, ptr addrspace(12) @N, align 4, !tbaa !4
  %cmp.i = icmp ult i32 %t.0.i, %8
  br i1 %cmp.i, label %for.body.i, label %_Z4mainDv3_jS_.exit

for.body.i:                                       ; preds = %for.cond.i
  %mul.i = mul i32 %8, %6
  %add.i = add i32 %t.0.i, %3
  %add1.i = add i32 %add.i, %mul.i
  %9 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0) %1, i32 %add1.i)
  %10 = load float, ptr addrspace(11) %9, align 4, !tbaa !8
  store float %10, ptr addrspace(3) %arrayidx4.i, align 4, !tbaa !8
  %add5.i = add i32 %t.0.i, %4
  %mul6.i = mul i32 %8, %add5.i
  %add7.i = add i32 %mul6.i, %5
  %11 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0) %2, i32 %add7.i)
  %12 = load float, ptr addrspace(11) %11, align 4, !tbaa !8
  store float %12, ptr addrspace(3) %arrayidx12.i, align 4, !tbaa !8
  call spir_func void @llvm.spv.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %7) ]
  %13 = load float, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !8
  %14 = load float, ptr addrspace(3) %invariant.gep, align 4, !tbaa !8
  %15 = tail call reassoc nnan ninf nsz arcp afn float @llvm.fmuladd.f32(float %13, float %14, float %sum.0.i)
  %16 = load float, ptr addrspace(3) %arrayidx20.i.1, align 4, !tbaa !8
  %17 = load float, ptr addrspace(3) %gep.1, align 4, !tbaa !8
  %18 = tail call reassoc nnan ninf nsz arcp afn float @llvm.fmuladd.f32(float %16, float %17, float %15)
  call spir_func void @llvm.spv.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %7) ]
  %add27.i = add i32 %t.0.i, 2
  br label %for.cond.i, !llvm.loop !10

_Z4mainDv3_jS_.exit:                              ; preds = %for.cond.i
  %19 = tail call target("spirv.VulkanBuffer", [0 x float], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_1t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str.4)
  %mul29.i = mul i32 %8, %6
  %add30.i = add i32 %mul29.i, %5
  %20 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1) %19, i32 %add30.i)
  store float %sum.0.i, ptr addrspace(11) %20, align 4, !tbaa !8
  ret void
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.in.group.i32(i32) #3

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.i32(i32) #3

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.loop() #1

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn
declare void @llvm.spv.group.memory.barrier.with.group.sync() #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #5

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32, i32, i32, i32, ptr) #0

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x float], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_1t(i32, i32, i32, i32, ptr) #0

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0), i32) #0

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1), i32) #0

attributes #0 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #2 = { convergent nofree noinline norecurse nosync nounwind "frame-pointer"="all" "hlsl.numthreads"="2,2,1" "hlsl.shader"="compute" "no-infs-fp-math"="false" "no-nans-fp-math"="false" "no-signed-zeros-fp-math"="false" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #3 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #4 = { convergent mustprogress nocallback nofree nosync nounwind willreturn }
attributes #5 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!hlsl.cbs = !{!0}
!llvm.module.flags = !{!1, !2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{ptr @Sizes.cb, ptr addrspace(12) @N}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!"clang version 22.1.8"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C++ TBAA"}
!8 = !{!9, !9, i64 0}
!9 = !{!"float", !6, i64 0}
!10 = distinct !{!10, !11}
!11 = !{!"llvm.loop.mustprogress"}
