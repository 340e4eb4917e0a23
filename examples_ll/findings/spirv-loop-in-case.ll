; A loop in one case of a switch in a loop. The structurizer ends LLVM: it takes the graph, which is reducible, for one that is not.
;
; Lowered: spirv-vulkan -O0
; Verdict: crash
; Cause: LLVM breaks down in LLVM's backend (signal _): LLVM ERROR: No valid candidate in the queue. Is the graph reducible?
; RUN: convcheck verify -q %s

target triple = "spirv-unknown-vulkan1.3-compute"
define void @main() convergent "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" {
entry:
  %lane = call i32 @llvm.spv.subgroup.local.invocation.id()
  %a = icmp ult i32 %lane, 2
  %b = icmp ult i32 %lane, 3
  br label %do.body
do.body:
  switch i32 %lane, label %do.cond [i32 0, label %for.cond.1 i32 2, label %sw.bb.2 i32 3, label %sw.bb.2]
for.cond.1:
  br i1 %a, label %for.cond.1, label %do.cond
sw.bb.2:
  br label %do.cond
do.cond:
  br i1 %b, label %do.body, label %do.end
do.end:
  ret void
}
