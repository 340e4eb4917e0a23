; A loop with two returns behind one another: the switch made of its exits does not dominate a case.
;
; Lowered: spirv-vulkan -O0
; Verdict: invalid
; Cause: Switch header _does not structurally dominate its case construct _
; RUN: convcheck verify -q %s

target triple = "spirv-unknown-vulkan1.3-compute"
define void @main() convergent {
entry:
  %entry.token = call token @llvm.experimental.convergence.entry()
  br label %for.cond
for.cond:
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry.token) ]
  br label %do.end
do.end:
  br i1 false, label %if.then.1, label %for.end.1
if.then.1:
  %umax5 = call i32 @llvm.spv.wave.reduce.umax.i32(i32 0) [ "convergencectrl"(token %heart) ]
  ret void
for.end.1:
  br i1 false, label %if.then.2, label %for.cond
if.then.2:
  %umax7 = call i32 @llvm.spv.wave.reduce.umax.i32(i32 0) [ "convergencectrl"(token %heart) ]
  ret void
}
