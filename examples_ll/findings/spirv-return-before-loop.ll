; Two early returns, and a loop whose body returns. A branch gets no merge instruction.
;
; Lowered: spirv-vulkan -O0
; Verdict: invalid
; Cause: Selection must be structured
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
  br i1 %b, label %if.then.2, label %if.end.2
if.then.2:
  ret void
if.end.2:
  br label %for.cond
for.cond:
  br i1 %c, label %for.body, label %for.end
for.body:
  ret void
for.end:
  ret void
}
