; clang-22 -x hlsl -target spirv-unknown-vulkan1.3-compute -fno-discard-value-names -emit-llvm -S -O2 raymarch.hlsl -o raymarch.hlsl.O2.ll
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

@.str = private unnamed_addr constant [10 x i8] c"Distances\00", align 1
@.str.2 = private unnamed_addr constant [6 x i8] c"Depth\00", align 1
@.str.4 = private unnamed_addr constant [9 x i8] c"Together\00", align 1

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #0

; Function Attrs: convergent nofree noinline norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define void @main() local_unnamed_addr #1 {
entry:
  %0 = tail call token @llvm.experimental.convergence.entry()
  %1 = tail call target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str)
  %2 = tail call i32 @llvm.spv.thread.id.i32(i32 0)
  %mul.i = shl i32 %2, 4
  br label %while.cond.i

while.cond.i:                                     ; preds = %cleanup.i, %entry
  %last.0.i = phi i32 [ 0, %entry ], [ %6, %cleanup.i ]
  %t.0.i = phi nsz float [ 0.000000e+00, %entry ], [ %add3.i, %cleanup.i ]
  %3 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %0) ]
  %cmp.i = fcmp reassoc nnan ninf nsz arcp afn olt float %t.0.i, 1.600000e+01
  br i1 %cmp.i, label %while.body.i, label %_Z4mainDv3_j.exit

while.body.i:                                     ; preds = %while.cond.i
  %conv.i = fptoui float %t.0.i to i32
  %add.i = add i32 %mul.i, %conv.i
  %4 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0) %1, i32 %add.i)
  %5 = load float, ptr addrspace(11) %4, align 4, !tbaa !7
  %cmp2.i = fcmp reassoc nnan ninf nsz arcp afn olt float %5, 2.500000e-01
  br i1 %cmp2.i, label %_Z4mainDv3_j.exit, label %cleanup.i

cleanup.i:                                        ; preds = %while.body.i
  %add3.i = fadd reassoc nnan ninf nsz arcp afn float %5, %t.0.i
  %6 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 true) [ "convergencectrl"(token %3) ]
  br label %while.cond.i

_Z4mainDv3_j.exit:                                ; preds = %while.body.i, %while.cond.i
  %7 = tail call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 0, i32 1, i32 1, i32 0, ptr nonnull @.str.4)
  %8 = tail call target("spirv.VulkanBuffer", [0 x float], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_1t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str.2)
  %9 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1) %8, i32 %2)
  store float %t.0.i, ptr addrspace(11) %9, align 4, !tbaa !7
  %10 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %7, i32 %2)
  store i32 %last.0.i, ptr addrspace(11) %10, align 4, !tbaa !3
  ret void
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.i32(i32) #2

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.loop() #0

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.wave.active.countbits(i1) #0

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32, i32, i32, i32, ptr) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x float], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_1t(i32, i32, i32, i32, ptr) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32, i32, i32, i32, ptr) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0), i32) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1), i32) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1), i32) #3

attributes #0 = { convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent nofree noinline norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "frame-pointer"="all" "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #3 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}
!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{!"clang version 22.1.8"}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C++ TBAA"}
!7 = !{!8, !8, i64 0}
!8 = !{!"float", !5, i64 0}
