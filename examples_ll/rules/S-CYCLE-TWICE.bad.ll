; RUN: not convcheck verify %s | FileCheck %s

; The inner loop counts from the token of the function instead of that of the outer iteration. Both hearts are
; on the closed path %outer, %inner: its use at the inner one also breaks S-HEART-DOM there.

; CHECK: warning[W-UNUSED-TOKEN]
; CHECK: error[S-CYCLE-TWICE]
; CHECK: error[S-CYCLE-TWICE]
; CHECK: error[S-HEART-DOM]
; CHECK: {{^}}3 errors, 1 warning in 1 function

define void @same_token_inside(i1 %again, i1 %more) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %outer
outer:
  %one = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  br label %inner
inner:
  %two = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  call void @barrier() [ "convergencectrl"(token %two) ]
  br i1 %again, label %inner, label %latch
latch:
  br i1 %more, label %outer, label %out
out:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare void @barrier() convergent
