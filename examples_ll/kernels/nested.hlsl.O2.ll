; clang-22 -x hlsl -target spirv-unknown-vulkan1.3-compute -fno-discard-value-names -emit-llvm -S -O2 nested.hlsl -o nested.hlsl.O2.ll
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

@.str = private unnamed_addr constant [6 x i8] c"Outer\00", align 1
@.str.2 = private unnamed_addr constant [6 x i8] c"Inner\00", align 1
@.str.4 = private unnamed_addr constant [4 x i8] c"Out\00", align 1

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #0

; Function Attrs: convergent nofree noinline norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define void @main() local_unnamed_addr #1 {
entry:
  %0 = tail call token @llvm.experimental.convergence.entry()
  %1 = tail call target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str)
  %2 = tail call target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32 0, i32 1, i32 1, i32 0, ptr nonnull @.str.2)
  %3 = tail call i32 @llvm.spv.thread.id.i32(i32 0)
  %4 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t(target("spirv.VulkanBuffer", [0 x i32], 12, 0) %1, i32 %3)
  %5 = load i32, ptr addrspace(11) %4, align 4, !tbaa !3
  %smax1 = tail call i32 @llvm.smax.i32(i32 %5, i32 0)
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.cond.cleanup5.i, %entry
  %votes.0.i = phi i32 [ 0, %entry ], [ %add8.i, %for.cond.cleanup5.i ]
  %i.0.i = phi i32 [ 0, %entry ], [ %inc10.i, %for.cond.cleanup5.i ]
  %6 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %0) ]
  %exitcond2.not = icmp eq i32 %i.0.i, %smax1
  br i1 %exitcond2.not, label %_Z4mainDv3_j.exit, label %for.cond2.i.preheader

for.cond2.i.preheader:                            ; preds = %for.cond.i
  %7 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t(target("spirv.VulkanBuffer", [0 x i32], 12, 0) %2, i32 %3)
  %8 = load i32, ptr addrspace(11) %7, align 4, !tbaa !3
  %smax = tail call i32 @llvm.smax.i32(i32 %8, i32 0)
  br label %for.cond2.i

for.cond2.i:                                      ; preds = %for.cond2.i.preheader, %for.body6.i
  %votes.1.i = phi i32 [ %add.i, %for.body6.i ], [ %votes.0.i, %for.cond2.i.preheader ]
  %j.0.i = phi i32 [ %inc.i, %for.body6.i ], [ 0, %for.cond2.i.preheader ]
  %9 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %6) ]
  %exitcond.not = icmp eq i32 %j.0.i, %smax
  br i1 %exitcond.not, label %for.cond.cleanup5.i, label %for.body6.i

for.cond.cleanup5.i:                              ; preds = %for.cond2.i
  %rem.i = and i32 %i.0.i, 1
  %cmp7.i = icmp eq i32 %rem.i, 0
  %10 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 %cmp7.i) [ "convergencectrl"(token %6) ]
  %mul.i = mul nsw i32 %10, 100
  %add8.i = add nsw i32 %mul.i, %votes.1.i
  %inc10.i = add nuw i32 %i.0.i, 1
  br label %for.cond.i, !llvm.loop !7

for.body6.i:                                      ; preds = %for.cond2.i
  %11 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 true) [ "convergencectrl"(token %9) ]
  %add.i = add nsw i32 %11, %votes.1.i
  %inc.i = add nuw i32 %j.0.i, 1
  br label %for.cond2.i, !llvm.loop !9

_Z4mainDv3_j.exit:                                ; preds = %for.cond.i
  %12 = tail call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str.4)
  %13 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %12, i32 %3)
  store i32 %votes.0.i, ptr addrspace(11) %13, align 4, !tbaa !3
  ret void
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.i32(i32) #2

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.loop() #0

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.wave.active.countbits(i1) #0

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32, i32, i32, i32, ptr) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32, i32, i32, i32, ptr) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t(target("spirv.VulkanBuffer", [0 x i32], 12, 0), i32) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1), i32) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #4

attributes #0 = { convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent nofree noinline norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "frame-pointer"="all" "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #3 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

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
!7 = distinct !{!7, !8}
!8 = !{!"llvm.loop.mustprogress"}
!9 = distinct !{!9, !8}
