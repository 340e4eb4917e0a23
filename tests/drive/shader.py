"""Small shaders for the tests: as text for LLVM's SPIR-V backend, and as what it makes of them."""

from __future__ import annotations

from functools import cache

from convergence.passes.compilers import lower

BODY = """  %sum = call i32 @llvm.spv.wave.reduce.sum.i32(i32 %id)
  br label %join"""


def shader(threads: int = 8, below: int = 3, other: int = 77, body: str = BODY) -> str:
    """Lanes ``below`` a number add up their numbers, and every thread stores: one buffer, ``u0``."""
    handle = 'target("spirv.VulkanBuffer", [0 x i32], 12, 1)'
    suffix = "tspirv.VulkanBuffer_a0i32_12_1t"
    return f"""target triple = "spirv-unknown-vulkan1.3-compute"
@.str = private unnamed_addr constant [4 x i8] c"out\\00", align 1
define void @main() #0 {{
entry:
  %buffer = call {handle} @llvm.spv.resource.handlefrombinding.{suffix}(i32 0, i32 0, i32 1, i32 0, ptr @.str)
  %id = call i32 @llvm.spv.thread.id.i32(i32 0)
  %lane = call i32 @llvm.spv.subgroup.local.invocation.id()
  %low = icmp ult i32 %lane, {below}
  br i1 %low, label %then, label %join
then:
{body}
join:
  %result = phi i32 [ %sum, %then ], [ {other}, %entry ]
  %place = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.{suffix}({handle} %buffer, i32 %id)
  store i32 %result, ptr addrspace(11) %place, align 4
  ret void
}}
attributes #0 = {{ convergent "hlsl.numthreads"="{threads},1,1" "hlsl.shader"="compute" }}
"""


@cache
def compiled(text: str) -> bytes:
    """The SPIR-V that LLVM makes of a shader."""
    return lower(text, None).data
