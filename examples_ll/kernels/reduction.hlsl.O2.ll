; clang-22 -x hlsl -target spirv-unknown-vulkan1.3-compute -fno-discard-value-names -emit-llvm -S -O2 reduction.hlsl -o reduction.hlsl.O2.ll
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

@.str = private unnamed_addr constant [3 x i8] c"In\00", align 1
@.str.2 = private unnamed_addr constant [4 x i8] c"Out\00", align 1
@Tile = hidden local_unnamed_addr addrspace(3) global [16 x float] zeroinitializer, align 4

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #0

; Function Attrs: convergent mustprogress nofree noinline norecurse nosync nounwind willreturn
define void @main() local_unnamed_addr #1 {
entry:
  %0 = tail call token @llvm.experimental.convergence.entry()
  %1 = tail call target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str)
  %2 = tail call target("spirv.VulkanBuffer", [0 x float], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_1t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str.2)
  %3 = tail call i32 @llvm.spv.flattened.thread.id.in.group()
  %4 = tail call i32 @llvm.spv.thread.id.i32(i32 0)
  %5 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0) %1, i32 %4)
  %6 = load float, ptr addrspace(11) %5, align 4, !tbaa !7
  %idxprom.i = zext i32 %3 to i64
  %arrayidx.i = getelementptr inbounds nuw float, ptr addrspace(3) @Tile, i64 %idxprom.i
  store float %6, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !7
  call spir_func void @llvm.spv.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %0) ]
  br label %for.cond.i

for.cond.i:                                       ; preds = %entry
  %7 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %0) ]
  %cmp2.i = icmp ult i32 %3, 8
  br i1 %cmp2.i, label %if.then.i, label %if.end.i

for.cond.cleanup.i:                               ; preds = %if.end.i.2, %if.then.i.3
  call spir_func void @llvm.spv.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %7) ]
  %cmp8.i = icmp eq i32 %3, 0
  br i1 %cmp8.i, label %if.then9.i, label %_Z4mainDv3_jjS_.exit

if.then.i:                                        ; preds = %for.cond.i
  %8 = zext nneg i32 %3 to i64
  %9 = getelementptr inbounds nuw float, ptr addrspace(3) @Tile, i64 %8
  %arrayidx4.i = getelementptr inbounds nuw i8, ptr addrspace(3) %9, i64 32
  %10 = load float, ptr addrspace(3) %arrayidx4.i, align 4, !tbaa !7
  %11 = load float, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !7
  %add7.i = fadd reassoc nnan ninf nsz arcp afn float %11, %10
  store float %add7.i, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !7
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %for.cond.i
  call spir_func void @llvm.spv.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %7) ]
  %cmp2.i.1 = icmp ult i32 %3, 4
  br i1 %cmp2.i.1, label %if.then.i.1, label %if.end.i.1

if.then.i.1:                                      ; preds = %if.end.i
  %12 = zext nneg i32 %3 to i64
  %13 = getelementptr inbounds nuw float, ptr addrspace(3) @Tile, i64 %12
  %arrayidx4.i.1 = getelementptr inbounds nuw i8, ptr addrspace(3) %13, i64 16
  %14 = load float, ptr addrspace(3) %arrayidx4.i.1, align 4, !tbaa !7
  %15 = load float, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !7
  %add7.i.1 = fadd reassoc nnan ninf nsz arcp afn float %15, %14
  store float %add7.i.1, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !7
  br label %if.end.i.1

if.end.i.1:                                       ; preds = %if.then.i.1, %if.end.i
  call spir_func void @llvm.spv.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %7) ]
  %cmp2.i.2 = icmp ult i32 %3, 2
  br i1 %cmp2.i.2, label %if.then.i.2, label %if.end.i.2

if.then.i.2:                                      ; preds = %if.end.i.1
  %16 = zext nneg i32 %3 to i64
  %17 = getelementptr inbounds nuw float, ptr addrspace(3) @Tile, i64 %16
  %arrayidx4.i.2 = getelementptr inbounds nuw i8, ptr addrspace(3) %17, i64 8
  %18 = load float, ptr addrspace(3) %arrayidx4.i.2, align 4, !tbaa !7
  %19 = load float, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !7
  %add7.i.2 = fadd reassoc nnan ninf nsz arcp afn float %19, %18
  store float %add7.i.2, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !7
  br label %if.end.i.2

if.end.i.2:                                       ; preds = %if.then.i.2, %if.end.i.1
  call spir_func void @llvm.spv.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %7) ]
  %cmp2.i.3 = icmp eq i32 %3, 0
  br i1 %cmp2.i.3, label %if.then.i.3, label %for.cond.cleanup.i

if.then.i.3:                                      ; preds = %if.end.i.2
  %20 = load float, ptr addrspace(3) getelementptr inbounds nuw (i8, ptr addrspace(3) @Tile, i64 4), align 4, !tbaa !7
  %21 = load float, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !7
  %add7.i.3 = fadd reassoc nnan ninf nsz arcp afn float %21, %20
  store float %add7.i.3, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !7
  br label %for.cond.cleanup.i

if.then9.i:                                       ; preds = %for.cond.cleanup.i
  %22 = tail call i32 @llvm.spv.group.id.i32(i32 0)
  %23 = load float, ptr addrspace(3) @Tile, align 4, !tbaa !7
  %24 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1) %2, i32 %22)
  store float %23, ptr addrspace(11) %24, align 4, !tbaa !7
  br label %_Z4mainDv3_jjS_.exit

_Z4mainDv3_jjS_.exit:                             ; preds = %for.cond.cleanup.i, %if.then9.i
  ret void
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.group.id.i32(i32) #2

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.flattened.thread.id.in.group() #2

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.i32(i32) #2

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn
declare void @llvm.spv.group.memory.barrier.with.group.sync() #3

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.loop() #0

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x float], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_0t(i32, i32, i32, i32, ptr) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x float], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0f32_12_1t(i32, i32, i32, i32, ptr) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_0t(target("spirv.VulkanBuffer", [0 x float], 12, 0), i32) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0f32_12_1t(target("spirv.VulkanBuffer", [0 x float], 12, 1), i32) #4

attributes #0 = { convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent mustprogress nofree noinline norecurse nosync nounwind willreturn "frame-pointer"="all" "hlsl.numthreads"="16,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #3 = { convergent mustprogress nocallback nofree nosync nounwind willreturn }
attributes #4 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }

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
