; A loop left by two returns in nested branches: a selection in the loop gets the loop's back edge for a merge block.
;
; Lowered: spirv-vulkan -O0
; Verdict: invalid
; Cause: Header block _is contained in the loop construct headed by _, but its merge block _is not
; RUN: convcheck verify -q %s

target triple = "spirv-unknown-vulkan1.3-compute"
define void @main() convergent {
entry:
  %entry.token = call token @llvm.experimental.convergence.entry()
  br label %while.cond
while.cond:
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry.token) ]
  br label %while.body
while.body:
  br i1 false, label %if.then, label %while.cond
if.then:
  br i1 false, label %if.then.1, label %if.else
if.then.1:
  br i1 false, label %if.then.2, label %while.cond
if.then.2:
  %any3 = call i1 @llvm.spv.wave.any(i1 false) [ "convergencectrl"(token %heart) ]
  ret void
if.else:
  %sum4 = call i32 @llvm.spv.wave.reduce.sum.i32(i32 0) [ "convergencectrl"(token %heart) ]
  ret void
}
