; RUN: not convcheck verify %s | FileCheck %s

; @plain is no convergent function, but its bundle makes the call a convergent operation. LLVM 22.1 asks
; for the attribute alone and takes this.

; CHECK: warning[W-NOT-CONVERGENT]
; CHECK: error[S-LOOP-FIRST]
; CHECK: LLVM 22.1 does not report this: loop after
; CHECK: warning[W-NO-HEART]
; CHECK: {{^}}1 error, 2 warnings in 1 function

define void @bundle_above(i1 %again) {
start:
  %group = call token @llvm.experimental.convergence.anchor()
  br label %next
next:
  call void @plain() [ "convergencectrl"(token %group) ]
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %group) ]
  call void @barrier() [ "convergencectrl"(token %turn) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
declare void @barrier() convergent
declare void @plain()
