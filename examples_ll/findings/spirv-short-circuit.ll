; Two conditions that lead to one block, as `if (a || b)` does. The selection's header does not dominate its merge block.
;
; Lowered: spirv-vulkan -O0
; Verdict: invalid
; Cause: The selection construct with the selection header _does not structurally dominate the merge block _
; RUN: convcheck verify -q %s

target triple = "spirv-unknown-vulkan1.3-compute"
define void @main() convergent "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" {
entry:
  %lane = call i32 @llvm.spv.subgroup.local.invocation.id()
  %a = icmp ult i32 %lane, 2
  %b = icmp ult i32 %lane, 3
  br i1 %a, label %do.cond, label %if.else
if.else:
  br i1 %b, label %do.cond, label %if.end.1
if.end.1:
  br label %if.end
if.end:
  br label %do.cond
do.cond:
  %slot.5 = phi i32 [ 0, %entry ], [ 1, %if.else ], [ 0, %if.end ]
  %t.23 = add i32 %slot.5, 1
  %t.28 = call i32 @llvm.umin.i32(i32 %t.23, i32 30)
  ret void
}
