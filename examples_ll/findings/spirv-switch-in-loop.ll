; A switch in a do-while loop, two of whose values share a case. The block gets two merge instructions.
;
; Lowered: spirv-vulkan -O0
; Verdict: invalid
; Cause: OpSelectionMerge must immediately precede either an OpBranchConditional or OpSwitch instruction. OpSelectionMerge must be the second-to-last instruction in its block.
; RUN: convcheck verify -q %s

target triple = "spirv-unknown-vulkan1.3-compute"
define void @main() convergent "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" {
entry:
  %lane = call i32 @llvm.spv.subgroup.local.invocation.id()
  %a = icmp ult i32 %lane, 2
  br label %do.body
do.body:
  switch i32 %lane, label %do.cond [i32 3, label %sw.bb.1 i32 1, label %sw.bb.1]
sw.bb.1:
  br label %do.cond
do.cond:
  br i1 %a, label %do.body, label %do.end
do.end:
  ret void
}
