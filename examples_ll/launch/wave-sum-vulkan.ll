; Lanes 0 to 2 of each subgroup add up their threads' numbers: a shader that LLVM's SPIR-V backend compiles and a Vulkan
; device runs. `convcheck drive` holds what the device did against this.
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --subgroup-size 8 --buffer u0=i32[16] --show u0
; CHECK: u0 = i32[16]: 3, 3, 3, 77, 77, 77, 77, 77, 27, 27, 27, 77, 77, 77, 77, 77

target triple = "spirv-unknown-vulkan1.3-compute"
@.str = private unnamed_addr constant [4 x i8] c"out\00", align 1
define void @main() #0 {
entry:
  %buffer = call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 0, i32 0, i32 1, i32 0, ptr nonnull @.str)
  %id = call i32 @llvm.spv.thread.id.i32(i32 0)
  %lane = call i32 @llvm.spv.subgroup.local.invocation.id()
  %low = icmp ult i32 %lane, 3
  br i1 %low, label %then, label %join
then:
  %sum = call i32 @llvm.spv.wave.reduce.sum.i32(i32 %id)
  br label %join
join:
  %result = phi i32 [ %sum, %then ], [ 77, %entry ]
  %place = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %buffer, i32 %id)
  store i32 %result, ptr addrspace(11) %place, align 4
  ret void
}
attributes #0 = { convergent "hlsl.numthreads"="16,1,1" "hlsl.shader"="compute" }
