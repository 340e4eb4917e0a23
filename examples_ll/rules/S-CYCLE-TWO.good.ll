; RUN: convcheck verify %s | FileCheck %s

; Into the outer cycle comes the function's token, into the inner one that of the outer heart: one each.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @one_token_a_cycle(i1 %again, i1 %more) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %outer
outer:
  %one = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  br label %inner
inner:
  %two = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %one) ]
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
