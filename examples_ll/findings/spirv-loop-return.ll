; A loop whose body may end the invocation after a vote, `do { if (a) { vote; return; } } while (b)`. The exits of the loop are
; merged by a switch that gets no merge instruction.
;
; Lowered: spirv-vulkan -O0
; Verdict: invalid
; Cause: OpSwitch must be preceded by an OpSelectionMerge instruction
; RUN: convcheck verify -q %s

target triple = "spirv-unknown-vulkan1.3-compute"
define void @main() convergent "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" {
entry:
  %lane = call i32 @llvm.spv.subgroup.local.invocation.id()
  %a = icmp ult i32 %lane, 2
  %b = icmp ult i32 %lane, 3
  %entry.token = call token @llvm.experimental.convergence.entry()
  br label %do.body
do.body:
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry.token) ]
  br label %if.end
if.end:
  br i1 %a, label %if.then.1, label %do.cond
if.then.1:
  %count2 = call i32 @llvm.spv.wave.active.countbits(i1 %a) [ "convergencectrl"(token %heart) ]
  ret void
do.cond:
  br i1 %b, label %do.body, label %do.end
do.end:
  ret void
}
