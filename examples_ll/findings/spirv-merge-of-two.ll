; A switch and a branch in one of its cases, both with returns: both headers are given one merge block.
;
; Lowered: spirv-vulkan -O0
; Verdict: invalid
; Cause: Block _is already a merge block for another header
; RUN: convcheck verify -q %s

target triple = "spirv-unknown-vulkan1.3-compute"
define void @main() convergent {
entry:
  br i1 false, label %if.then.1, label %sw.epilog.1
if.then.1:
  ret void
sw.epilog.1:
  switch i32 0, label %sw.epilog.2 [i32 1, label %sw.bb.3 i32 0, label %sw.bb.3 i32 3, label %sw.bb.4]
sw.bb.3:
  ret void
sw.bb.4:
  br label %if.end.2
if.end.2:
  br i1 false, label %if.then.3, label %if.end.3
if.then.3:
  ret void
if.end.3:
  ret void
sw.epilog.2:
  ret void
}
