; RUN: not convcheck refine %s --lowered spirv-vulkan | FileCheck %s

; LLVM 22.1's SPIR-V back end makes `OpControlBarrier Workgroup, Workgroup, SequentiallyConsistent` of HLSL's barrier: an order,
; and no memory that is ordered (WorkgroupMemory, UniformMemory). So SPIR-V does not promise that a thread reads behind it what another
; wrote before it: the reads race. (Vulkan does not allow SequentiallyConsistent besides.)
;
; CHECK: wrong
; CHECK: Difference: at the end u0 is [1, 0

target triple = "spirv-unknown-vulkan1.3-compute"

@tile = internal addrspace(3) global [2 x i32] undef
@name = private constant [2 x i8] c"o\00"

define void @main() convergent "hlsl.shader"="compute" "hlsl.numthreads"="2,1,1" {
entry:
  %token = call token @llvm.experimental.convergence.entry()
  %o = call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 0, i32 0, i32 1, i32 0, ptr @name)
  %t = call i32 @llvm.spv.flattened.thread.id.in.group()
  %own = getelementptr [2 x i32], ptr addrspace(3) @tile, i32 0, i32 %t
  store i32 %t, ptr addrspace(3) %own
  call void @llvm.spv.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %token) ]
  %n = xor i32 %t, 1
  %other = getelementptr [2 x i32], ptr addrspace(3) @tile, i32 0, i32 %n
  %x = load i32, ptr addrspace(3) %other
  %p = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %o, i32 %t)
  store i32 %x, ptr addrspace(11) %p
  ret void
}
