; A switch in a loop, of which two targets go round and one returns: a case leads to a block that belongs to no case.
;
; Lowered: spirv-vulkan -O0
; Verdict: invalid
; Cause: Case construct that targets _has invalid branch to block _(not another case construct, corresponding merge, outer loop merge or outer loop continue)
; RUN: convcheck verify -q %s

target triple = "spirv-unknown-vulkan1.3-compute"
define void @main() convergent {
entry:
  %entry.token = call token @llvm.experimental.convergence.entry()
  br label %do.body
do.body:
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry.token) ]
  switch i32 0, label %do.body [i32 1, label %sw.bb i32 2, label %do.body]
sw.bb:
  br i1 false, label %if.then.2, label %if.end.2
if.then.2:
  %all7 = call i1 @llvm.spv.wave.all(i1 false) [ "convergencectrl"(token %heart) ]
  ret void
if.end.2:
  br i1 false, label %if.then.3, label %do.body
if.then.3:
  ret void
}
