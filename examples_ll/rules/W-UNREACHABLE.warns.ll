; RUN: convcheck verify %s | FileCheck %s

; No thread comes to this barrier. A branch may have been folded the wrong way.

; CHECK: warning[W-UNREACHABLE]
; CHECK: {{^}}ok: 1 function of 1 file, 1 warning

define void @waits_in_vain() convergent {
start:
  ret void
nowhere:
  call void @barrier()
  ret void
}

declare void @barrier() convergent
