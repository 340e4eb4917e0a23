; clang-22 -x hlsl -target spirv-unknown-vulkan1.3-compute -fno-discard-value-names -emit-llvm -S -O2 histogram.hlsl -o histogram.hlsl.O2.ll
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

@.str = private unnamed_addr constant [3 x i8] c"In\00", align 1
@.str.2 = private unnamed_addr constant [7 x i8] c"Counts\00", align 1

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #0

; Function Attrs: convergent mustprogress nofree noinline norecurse nosync nounwind willreturn
define void @main() local_unnamed_addr #1 {
entry:
  %0 = tail call token @llvm.experimental.convergence.entry()
  %1 = tail call target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str)
  %2 = tail call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str.2)
  %3 = tail call i32 @llvm.spv.group.id.i32(i32 0)
  %4 = tail call i32 @llvm.spv.thread.id.i32(i32 0)
  %5 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t(target("spirv.VulkanBuffer", [0 x i32], 12, 0) %1, i32 %4)
  %6 = load i32, ptr addrspace(11) %5, align 4, !tbaa !3
  %rem.i = and i32 %6, 7
  %mul.i = shl i32 %3, 3
  br label %for.cond.i

for.cond.i:                                       ; preds = %entry
  %7 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %0) ]
  %cmp2.i = icmp eq i32 %rem.i, 0
  %8 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 %cmp2.i) [ "convergencectrl"(token %7) ]
  %9 = call spir_func i1 @llvm.spv.wave.is.first.lane() [ "convergencectrl"(token %7) ]
  br i1 %9, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %for.cond.i
  %10 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %2, i32 %mul.i)
  store i32 %8, ptr addrspace(11) %10, align 4, !tbaa !3
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %for.cond.i
  %cmp2.i.1 = icmp eq i32 %rem.i, 1
  %11 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 %cmp2.i.1) [ "convergencectrl"(token %7) ]
  %12 = call spir_func i1 @llvm.spv.wave.is.first.lane() [ "convergencectrl"(token %7) ]
  br i1 %12, label %if.then.i.1, label %if.end.i.1

if.then.i.1:                                      ; preds = %if.end.i
  %add.i.1 = or disjoint i32 %mul.i, 1
  %13 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %2, i32 %add.i.1)
  store i32 %11, ptr addrspace(11) %13, align 4, !tbaa !3
  br label %if.end.i.1

if.end.i.1:                                       ; preds = %if.then.i.1, %if.end.i
  %cmp2.i.2 = icmp eq i32 %rem.i, 2
  %14 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 %cmp2.i.2) [ "convergencectrl"(token %7) ]
  %15 = call spir_func i1 @llvm.spv.wave.is.first.lane() [ "convergencectrl"(token %7) ]
  br i1 %15, label %if.then.i.2, label %if.end.i.2

if.then.i.2:                                      ; preds = %if.end.i.1
  %add.i.2 = or disjoint i32 %mul.i, 2
  %16 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %2, i32 %add.i.2)
  store i32 %14, ptr addrspace(11) %16, align 4, !tbaa !3
  br label %if.end.i.2

if.end.i.2:                                       ; preds = %if.then.i.2, %if.end.i.1
  %cmp2.i.3 = icmp eq i32 %rem.i, 3
  %17 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 %cmp2.i.3) [ "convergencectrl"(token %7) ]
  %18 = call spir_func i1 @llvm.spv.wave.is.first.lane() [ "convergencectrl"(token %7) ]
  br i1 %18, label %if.then.i.3, label %if.end.i.3

if.then.i.3:                                      ; preds = %if.end.i.2
  %add.i.3 = or disjoint i32 %mul.i, 3
  %19 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %2, i32 %add.i.3)
  store i32 %17, ptr addrspace(11) %19, align 4, !tbaa !3
  br label %if.end.i.3

if.end.i.3:                                       ; preds = %if.then.i.3, %if.end.i.2
  %cmp2.i.4 = icmp eq i32 %rem.i, 4
  %20 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 %cmp2.i.4) [ "convergencectrl"(token %7) ]
  %21 = call spir_func i1 @llvm.spv.wave.is.first.lane() [ "convergencectrl"(token %7) ]
  br i1 %21, label %if.then.i.4, label %if.end.i.4

if.then.i.4:                                      ; preds = %if.end.i.3
  %add.i.4 = or disjoint i32 %mul.i, 4
  %22 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %2, i32 %add.i.4)
  store i32 %20, ptr addrspace(11) %22, align 4, !tbaa !3
  br label %if.end.i.4

if.end.i.4:                                       ; preds = %if.then.i.4, %if.end.i.3
  %cmp2.i.5 = icmp eq i32 %rem.i, 5
  %23 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 %cmp2.i.5) [ "convergencectrl"(token %7) ]
  %24 = call spir_func i1 @llvm.spv.wave.is.first.lane() [ "convergencectrl"(token %7) ]
  br i1 %24, label %if.then.i.5, label %if.end.i.5

if.then.i.5:                                      ; preds = %if.end.i.4
  %add.i.5 = or disjoint i32 %mul.i, 5
  %25 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %2, i32 %add.i.5)
  store i32 %23, ptr addrspace(11) %25, align 4, !tbaa !3
  br label %if.end.i.5

if.end.i.5:                                       ; preds = %if.then.i.5, %if.end.i.4
  %cmp2.i.6 = icmp eq i32 %rem.i, 6
  %26 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 %cmp2.i.6) [ "convergencectrl"(token %7) ]
  %27 = call spir_func i1 @llvm.spv.wave.is.first.lane() [ "convergencectrl"(token %7) ]
  br i1 %27, label %if.then.i.6, label %if.end.i.6

if.then.i.6:                                      ; preds = %if.end.i.5
  %add.i.6 = or disjoint i32 %mul.i, 6
  %28 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %2, i32 %add.i.6)
  store i32 %26, ptr addrspace(11) %28, align 4, !tbaa !3
  br label %if.end.i.6

if.end.i.6:                                       ; preds = %if.then.i.6, %if.end.i.5
  %cmp2.i.7 = icmp eq i32 %rem.i, 7
  %29 = call spir_func i32 @llvm.spv.wave.active.countbits(i1 %cmp2.i.7) [ "convergencectrl"(token %7) ]
  %30 = call spir_func i1 @llvm.spv.wave.is.first.lane() [ "convergencectrl"(token %7) ]
  br i1 %30, label %if.then.i.7, label %_Z4mainDv3_jS_.exit

if.then.i.7:                                      ; preds = %if.end.i.6
  %add.i.7 = or disjoint i32 %mul.i, 7
  %31 = tail call noundef align 4 dereferenceable(4) ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %2, i32 %add.i.7)
  store i32 %29, ptr addrspace(11) %31, align 4, !tbaa !3
  br label %_Z4mainDv3_jS_.exit

_Z4mainDv3_jS_.exit:                              ; preds = %if.end.i.6, %if.then.i.7
  ret void
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.group.id.i32(i32) #2

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.thread.id.i32(i32) #2

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.loop() #0

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.spv.wave.active.countbits(i1) #0

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn
declare i1 @llvm.spv.wave.is.first.lane() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32, i32, i32, i32, ptr) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32, i32, i32, i32, ptr) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t(target("spirv.VulkanBuffer", [0 x i32], 12, 0), i32) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1), i32) #4

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
