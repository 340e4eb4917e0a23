; A loop that is left by a switch, two of whose targets return. The pass that merges a region's exits has no case for it.
;
; Lowered: spirv-vulkan -O0
; Verdict: crash
; Cause: LLVM breaks down in LLVM's backend (signal _): UNREACHABLE executed
; RUN: convcheck verify -q %s

target triple = "spirv-unknown-vulkan1.3-compute"
define void @main() convergent "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" {
entry:
  %lane = call i32 @llvm.spv.subgroup.local.invocation.id()
  %a = icmp ult i32 %lane, 2
  %entry.token = call token @llvm.experimental.convergence.entry()
  br label %do.body
do.body:
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry.token) ]
  br i1 %a, label %if.then, label %do.body
if.then:
  switch i32 %lane, label %sw.epilog [i32 0, label %sw.bb.1 i32 3, label %sw.bb.2]
sw.bb.1:
  ret void
sw.bb.2:
  %all2 = call i1 @llvm.spv.wave.all(i1 %a) [ "convergencectrl"(token %heart) ]
  ret void
sw.epilog:
  ret void
}
