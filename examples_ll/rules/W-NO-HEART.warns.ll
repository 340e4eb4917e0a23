; RUN: convcheck verify %s | FileCheck %s

; No cycle is near: this counts to one. Using %group would say the same.

; CHECK: warning[W-NO-HEART]
; CHECK: {{^}}ok: 1 function of 1 file, 1 warning

define void @counts_to_one() {
start:
  %group = call token @llvm.experimental.convergence.anchor()
  br label %next
next:
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %group) ]
  call void @barrier() [ "convergencectrl"(token %turn) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
declare void @barrier() convergent
