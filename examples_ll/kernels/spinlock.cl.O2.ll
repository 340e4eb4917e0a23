; clang-22 -x cl -cl-std=CL2.0 -target spirv64 -nogpulib -Xclang -finclude-default-header -fno-discard-value-names -emit-llvm -S -O2 spinlock.cl -o spinlock.cl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 4
; CONVCHECK: --buffer %lock=i32[1]
; CONVCHECK: --buffer %sum=i32[1]:35
; CONVCHECK: --show %lock
; CONVCHECK: --show %sum
; CHECK: %lock = i32[1]: 0
; CHECK: %sum = i32[1]: 71

source_filename = "spinlock.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64"

; Function Attrs: convergent norecurse nounwind
define spir_kernel void @spinlock(ptr addrspace(1) noundef align 4 %lock, ptr addrspace(1) noundef align 4 captures(none) %sum) local_unnamed_addr #0 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !11 !kernel_arg_type_qual !12 {
entry:
  %expected.i = alloca i32, align 4
  %0 = addrspacecast ptr addrspace(1) %lock to ptr addrspace(4)
  %expected.ascast.i = addrspacecast ptr %expected.i to ptr addrspace(4)
  br label %while.body.i

while.body.i.critedge:                            ; preds = %while.body.i
  call void @llvm.lifetime.end.p0(ptr nonnull %expected.i) #5
  br label %while.body.i

while.body.i:                                     ; preds = %while.body.i.critedge, %entry
  call void @llvm.lifetime.start.p0(ptr nonnull %expected.i) #5
  store i32 0, ptr %expected.i, align 4, !tbaa !4
  %call1.i = call spir_func zeroext i1 @_Z39atomic_compare_exchange_strong_explicitPU3AS4VU7_AtomiciPU3AS4ii12memory_orderS4_12memory_scope(ptr addrspace(4) noundef %0, ptr addrspace(4) noundef %expected.ascast.i, i32 noundef 1, i32 noundef 2, i32 noundef 0, i32 noundef 2) #6
  br i1 %call1.i, label %if.then.i, label %while.body.i.critedge

if.then.i:                                        ; preds = %while.body.i
  %call.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #7
  %1 = trunc i64 %call.i to i32
  %conv.i = add i32 %1, 1
  %2 = load i32, ptr addrspace(1) %sum, align 4, !tbaa !4
  %add2.i = add nsw i32 %conv.i, %2
  store i32 %add2.i, ptr addrspace(1) %sum, align 4, !tbaa !4
  call spir_func void @_Z21atomic_store_explicitPU3AS4VU7_Atomicii12memory_order12memory_scope(ptr addrspace(4) noundef %0, i32 noundef 0, i32 noundef 3, i32 noundef 2) #6
  call void @llvm.lifetime.end.p0(ptr nonnull %expected.i) #5
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define spir_func void @__clang_ocl_kern_imp_spinlock(ptr addrspace(1) noundef align 4 %lock, ptr addrspace(1) noundef align 4 captures(none) %sum) local_unnamed_addr #1 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !11 !kernel_arg_type_qual !12 {
entry:
  %expected = alloca i32, align 4
  %0 = addrspacecast ptr addrspace(1) %lock to ptr addrspace(4)
  %expected.ascast = addrspacecast ptr %expected to ptr addrspace(4)
  br label %while.body

while.body.critedge:                              ; preds = %while.body
  call void @llvm.lifetime.end.p0(ptr nonnull %expected) #5
  br label %while.body

while.body:                                       ; preds = %while.body.critedge, %entry
  call void @llvm.lifetime.start.p0(ptr nonnull %expected) #5
  store i32 0, ptr %expected, align 4, !tbaa !4
  %call1 = call spir_func zeroext i1 @_Z39atomic_compare_exchange_strong_explicitPU3AS4VU7_AtomiciPU3AS4ii12memory_orderS4_12memory_scope(ptr addrspace(4) noundef %0, ptr addrspace(4) noundef %expected.ascast, i32 noundef 1, i32 noundef 2, i32 noundef 0, i32 noundef 2) #6
  br i1 %call1, label %if.then, label %while.body.critedge

if.then:                                          ; preds = %while.body
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #7
  %1 = trunc i64 %call to i32
  %conv = add i32 %1, 1
  %2 = load i32, ptr addrspace(1) %sum, align 4, !tbaa !4
  %add2 = add nsw i32 %conv, %2
  store i32 %add2, ptr addrspace(1) %sum, align 4, !tbaa !4
  call spir_func void @_Z21atomic_store_explicitPU3AS4VU7_Atomicii12memory_order12memory_scope(ptr addrspace(4) noundef %0, i32 noundef 0, i32 noundef 3, i32 noundef 2) #6
  call void @llvm.lifetime.end.p0(ptr nonnull %expected) #5
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #2

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #3

; Function Attrs: convergent nounwind
declare spir_func zeroext i1 @_Z39atomic_compare_exchange_strong_explicitPU3AS4VU7_AtomiciPU3AS4ii12memory_orderS4_12memory_scope(ptr addrspace(4) noundef, ptr addrspace(4) noundef, i32 noundef, i32 noundef, i32 noundef, i32 noundef) local_unnamed_addr #4

; Function Attrs: convergent nounwind
declare spir_func void @_Z21atomic_store_explicitPU3AS4VU7_Atomicii12memory_order12memory_scope(ptr addrspace(4) noundef, i32 noundef, i32 noundef, i32 noundef) local_unnamed_addr #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #2

attributes #0 = { convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #1 = { alwaysinline convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { convergent mustprogress nofree nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #4 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #5 = { nounwind }
attributes #6 = { convergent nounwind }
attributes #7 = { convergent nounwind willreturn memory(none) }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 2, i32 0}
!3 = !{!"clang version 22.1.8"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C/C++ TBAA"}
!8 = !{i32 1, i32 1}
!9 = !{!"none", !"none"}
!10 = !{!"atomic_int*", !"int*"}
!11 = !{!"_Atomic(int)*", !"int*"}
!12 = !{!"", !""}
