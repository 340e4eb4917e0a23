; Each lane counts to 70,000. A driver that leaves loops after 65,535 rounds stores 65,535 (docs/drivers.md).
;
; RUN: convcheck run -q %s | FileCheck %s
; CONVCHECK: --subgroup-size 8 --buffer u0=i32[8] --show u0
; CHECK: u0 = i32[8]: 70000, 70000, 70000, 70000, 70000, 70000, 70000, 70000

target triple = "spirv-unknown-vulkan1.3-compute"
@.u0 = private unnamed_addr constant [4 x i8] c"Out\00", align 1

define void @main() #0 {
entry:
  %u0 = call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 0, i32 0, i32 1, i32 0, ptr @.u0)
  %id = call i32 @llvm.spv.thread.id.i32(i32 0)
  %place = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %u0, i32 %id)
  br label %round
round:
  %n = phi i32 [ 0, %entry ], [ %next, %round ]
  %next = add i32 %n, 1
  store i32 %next, ptr addrspace(11) %place, align 4
  %more = icmp ult i32 %next, 70000
  br i1 %more, label %round, label %end
end:
  ret void
}

attributes #0 = { convergent "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" }
