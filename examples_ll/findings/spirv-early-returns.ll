; Three returns in a row behind divergent branches, with no loop and no operation across lanes: `if (a) return; if (b) return; ...`.
; The structurizer gives a selection a merge block that another block reaches past its header.
;
; Lowered: spirv-vulkan -O0
; Verdict: invalid
; Cause: block _branches to the selection construct, but not to the selection header _
; RUN: convcheck verify -q %s

target triple = "spirv-unknown-vulkan1.3-compute"
define void @main() convergent "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" {
entry:
  %lane = call i32 @llvm.spv.subgroup.local.invocation.id()
  %a = icmp ult i32 %lane, 2
  %b = icmp ult i32 %lane, 3
  %c = icmp ult i32 %lane, 4
  br i1 %a, label %if.then, label %if.end
if.then:
  ret void
if.end:
  br i1 %b, label %if.then.1, label %if.end.1
if.then.1:
  ret void
if.end.1:
  br i1 %c, label %if.then.2, label %if.end.2
if.then.2:
  ret void
if.end.2:
  ret void
}
