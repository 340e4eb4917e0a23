; Buffers of a shader: a structured one is read, a typed one written, a constant one says how.
; RUN: convcheck run %s | FileCheck %s
; CONVCHECK: --threads 4 --buffer In=f32[8]:0,1,2,... --buffer u0=i32[4] --buffer b0=f32[1]:10 --show u0
; CHECK: u0 = i32[4]: 10, 30, 50, 70
target datalayout = "e-p:32:32-i64:64"
target triple = "dxil-pc-shadermodel6.6-compute"

%Pair = type <{ float, float }>
%Layout = type <{ float }>

@In.str = private constant [3 x i8] c"In\00"
@Scale.str = private constant [6 x i8] c"Scale\00"
@Scale.cb = global target("dx.CBuffer", %Layout) poison
@factor = external hidden addrspace(2) global float

declare i32 @llvm.dx.thread.id(i32)
declare target("dx.RawBuffer", %Pair, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_s_Pairs_0_0t(i32, i32, i32, i32, ptr)
declare target("dx.TypedBuffer", i32, 1, 0, 1) @llvm.dx.resource.handlefrombinding.tdx.TypedBuffer_i32_1_0_1t(i32, i32, i32, i32, ptr)
declare target("dx.CBuffer", %Layout) @llvm.dx.resource.handlefrombinding.tdx.CBuffer_s_Layoutst(i32, i32, i32, i32, ptr)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_s_Pairs_0_0t(target("dx.RawBuffer", %Pair, 0, 0), i32)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.TypedBuffer_i32_1_0_1t(target("dx.TypedBuffer", i32, 1, 0, 1), i32)

define void @main() #0 {
entry:
  %id = call i32 @llvm.dx.thread.id(i32 0)
  %in = call target("dx.RawBuffer", %Pair, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_s_Pairs_0_0t(i32 0, i32 1, i32 1, i32 0, ptr @In.str)
  %out = call target("dx.TypedBuffer", i32, 1, 0, 1) @llvm.dx.resource.handlefrombinding.tdx.TypedBuffer_i32_1_0_1t(i32 0, i32 0, i32 1, i32 0, ptr null)
  %cb = call target("dx.CBuffer", %Layout) @llvm.dx.resource.handlefrombinding.tdx.CBuffer_s_Layoutst(i32 0, i32 0, i32 1, i32 0, ptr @Scale.str)
  store target("dx.CBuffer", %Layout) %cb, ptr @Scale.cb
  %pair = call ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_s_Pairs_0_0t(target("dx.RawBuffer", %Pair, 0, 0) %in, i32 %id)
  %second = getelementptr %Pair, ptr %pair, i32 0, i32 1
  %value = load float, ptr %second
  %factor = load float, ptr addrspace(2) @factor
  %product = fmul float %value, %factor
  %number = fptosi float %product to i32
  %place = call ptr @llvm.dx.resource.getpointer.p0.tdx.TypedBuffer_i32_1_0_1t(target("dx.TypedBuffer", i32, 1, 0, 1) %out, i32 %id)
  store i32 %number, ptr %place
  ret void
}

attributes #0 = { "hlsl.numthreads"="4,1,1" "hlsl.shader"="compute" }

!hlsl.cbs = !{!0}
!0 = !{ptr @Scale.cb, ptr addrspace(2) @factor}
