; clang-22 -x hlsl -target dxil-pc-shadermodel6.6-compute -fno-discard-value-names -emit-llvm -S -O2 scan.hlsl -o scan.hlsl.O2.ll
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --grid 2 --workgroup 16
; CONVCHECK: --buffer t0=i32[32]:35,13,1,-24,-20,-46,-43,-49,-33,31,14,41,0,10,47,22,13,4,5,43,-23,31,17,-50,-11,35,5,-47,26,22,34,-33
; CONVCHECK: --buffer u0=i32[32]
; CONVCHECK: --show u0
; CHECK: u0 = i32[32]: 35, 48, 49, 25, 5, -41, -84, -133, -166, -135, -121, -80, -80, -70, -23, -1, 13, 17, 22, 65, 42, 73, 90, 40, 29, 64, 69, 22, 48, 70, 104, 71

source_filename = "scan.hlsl"
target datalayout = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64-v48:16:16-v96:32:32-v192:64:64"
target triple = "dxilv1.6-pc-shadermodel6.6-compute"

@.str = private unnamed_addr constant [3 x i8] c"In\00", align 1
@.str.2 = private unnamed_addr constant [4 x i8] c"Out\00", align 1
@Tile = hidden local_unnamed_addr addrspace(3) global [2 x [16 x i32]] zeroinitializer, align 4

; Function Attrs: convergent mustprogress nofree noinline norecurse nosync nounwind willreturn
define void @main() local_unnamed_addr #0 {
entry:
  %0 = tail call target("dx.RawBuffer", i32, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_0_0t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str)
  %1 = tail call i32 @llvm.dx.flattened.thread.id.in.group()
  %2 = tail call i32 @llvm.dx.thread.id(i32 0)
  %3 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0) %0, i32 %2)
  %4 = load i32, ptr %3, align 4, !tbaa !4
  %arrayidx.i = getelementptr i32, ptr addrspace(3) @Tile, i32 %1
  store i32 %4, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %5 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %cmp3.not.i = icmp eq i32 %1, 0
  br i1 %cmp3.not.i, label %if.end.i, label %if.then.i

if.then.i:                                        ; preds = %entry
  %6 = getelementptr i32, ptr addrspace(3) @Tile, i32 %1
  %arrayidx5.i = getelementptr i8, ptr addrspace(3) %6, i32 -4
  %7 = load i32, ptr addrspace(3) %arrayidx5.i, align 4, !tbaa !4
  %add.i = add nsw i32 %7, %5
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %entry
  %sum.0.i = phi i32 [ %add.i, %if.then.i ], [ %5, %entry ]
  %gep = getelementptr i8, ptr addrspace(3) %arrayidx.i, i32 64
  store i32 %sum.0.i, ptr addrspace(3) %gep, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %arrayidx2.i.1 = getelementptr inbounds nuw i32, ptr addrspace(3) getelementptr inbounds nuw (i8, ptr addrspace(3) @Tile, i32 64), i32 %1
  %8 = load i32, ptr addrspace(3) %arrayidx2.i.1, align 4, !tbaa !4
  %cmp3.not.i.1 = icmp ult i32 %1, 2
  br i1 %cmp3.not.i.1, label %if.end.i.1, label %if.then.i.1

if.then.i.1:                                      ; preds = %if.end.i
  %9 = getelementptr i32, ptr addrspace(3) getelementptr inbounds nuw (i8, ptr addrspace(3) @Tile, i32 64), i32 %1
  %arrayidx5.i.1 = getelementptr i8, ptr addrspace(3) %9, i32 -8
  %10 = load i32, ptr addrspace(3) %arrayidx5.i.1, align 4, !tbaa !4
  %add.i.1 = add nsw i32 %10, %8
  br label %if.end.i.1

if.end.i.1:                                       ; preds = %if.then.i.1, %if.end.i
  %sum.0.i.1 = phi i32 [ %add.i.1, %if.then.i.1 ], [ %8, %if.end.i ]
  store i32 %sum.0.i.1, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %11 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %cmp3.not.i.2 = icmp ult i32 %1, 4
  br i1 %cmp3.not.i.2, label %if.end.i.2, label %if.then.i.2

if.then.i.2:                                      ; preds = %if.end.i.1
  %12 = getelementptr i32, ptr addrspace(3) @Tile, i32 %1
  %arrayidx5.i.2 = getelementptr i8, ptr addrspace(3) %12, i32 -16
  %13 = load i32, ptr addrspace(3) %arrayidx5.i.2, align 4, !tbaa !4
  %add.i.2 = add nsw i32 %13, %11
  br label %if.end.i.2

if.end.i.2:                                       ; preds = %if.then.i.2, %if.end.i.1
  %sum.0.i.2 = phi i32 [ %add.i.2, %if.then.i.2 ], [ %11, %if.end.i.1 ]
  store i32 %sum.0.i.2, ptr addrspace(3) %gep, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %14 = load i32, ptr addrspace(3) %arrayidx2.i.1, align 4, !tbaa !4
  %cmp3.not.i.3 = icmp ult i32 %1, 8
  br i1 %cmp3.not.i.3, label %if.end.i.3, label %if.then.i.3

if.then.i.3:                                      ; preds = %if.end.i.2
  %15 = getelementptr i32, ptr addrspace(3) getelementptr inbounds nuw (i8, ptr addrspace(3) @Tile, i32 64), i32 %1
  %arrayidx5.i.3 = getelementptr i8, ptr addrspace(3) %15, i32 -32
  %16 = load i32, ptr addrspace(3) %arrayidx5.i.3, align 4, !tbaa !4
  %add.i.3 = add nsw i32 %16, %14
  br label %if.end.i.3

if.end.i.3:                                       ; preds = %if.then.i.3, %if.end.i.2
  %sum.0.i.3 = phi i32 [ %add.i.3, %if.then.i.3 ], [ %14, %if.end.i.2 ]
  %17 = tail call target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str.2)
  store i32 %sum.0.i.3, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  tail call void @llvm.dx.group.memory.barrier.with.group.sync()
  %18 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %19 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %17, i32 %2)
  store i32 %18, ptr %19, align 4, !tbaa !4
  ret void
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.dx.flattened.thread.id.in.group() #1

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.dx.thread.id(i32) #1

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn
declare void @llvm.dx.group.memory.barrier.with.group.sync() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_0_0t(i32, i32, i32, i32, ptr) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32, i32, i32, i32, ptr) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0), i32) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0), i32) #3

attributes #0 = { convergent mustprogress nofree noinline norecurse nosync nounwind willreturn "frame-pointer"="all" "hlsl.numthreads"="16,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #2 = { convergent mustprogress nocallback nofree nosync nounwind willreturn }
attributes #3 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }

!llvm.module.flags = !{!0, !1}
!dx.valver = !{!2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 1, i32 8}
!3 = !{!"clang version 22.1.8"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C++ TBAA"}
