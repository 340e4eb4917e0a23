; do { acc = acc * 3 + min(lane + 2); } while (++round < 2 && x is even);
;
; All eight lanes are together in the first round: the minimum is 2, and lanes whose x is odd leave with 2. A driver that gives
; them the value of the second round, in which they are off, has 4 there (docs/drivers.md).
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --subgroup-size 8 --buffer u0=i32[8] --buffer u1=i32[8]:5,5,8,8,5,2,0,1 --show u0
; CHECK: u0 = i32[8]: 2, 2, 10, 10, 2, 10, 10, 2

target triple = "spirv-unknown-vulkan1.3-compute"
@.u0 = private unnamed_addr constant [4 x i8] c"Out\00", align 1
@.u1 = private unnamed_addr constant [3 x i8] c"In\00", align 1

define void @main() #0 {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  %u0 = call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 0, i32 0, i32 1, i32 0, ptr @.u0)
  %u1 = call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 0, i32 1, i32 1, i32 0, ptr @.u1)
  %id = call i32 @llvm.spv.thread.id.i32(i32 0)
  %given = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %u1, i32 %id)
  %x = load i32, ptr addrspace(11) %given
  %lane = call i32 @llvm.spv.subgroup.local.invocation.id()
  br label %body
body:
  %acc = phi i32 [ 0, %entry ], [ %sum, %body ]
  %round = phi i32 [ 0, %entry ], [ %next, %body ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %mine = add i32 %lane, 2
  %min = call i32 @llvm.spv.wave.reduce.min.i32(i32 %mine) [ "convergencectrl"(token %heart) ]
  %scaled = mul i32 %acc, 3
  %sum = add i32 %scaled, %min
  %next = add i32 %round, 1
  %below = icmp ult i32 %next, 2
  %odd = and i32 %x, 1
  %even = icmp eq i32 %odd, 0
  %more = and i1 %below, %even
  br i1 %more, label %body, label %end
end:
  %place = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %u0, i32 %id)
  store i32 %sum, ptr addrspace(11) %place, align 4
  ret void
}

attributes #0 = { convergent "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" }
