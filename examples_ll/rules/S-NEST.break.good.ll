; RUN: convcheck verify %s | FileCheck %s

; The region of a heart's token extends past the loop where threads leave it to use the token.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @work_on_the_way_out(i1 %found, i1 %again) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  br i1 %found, label %leave, label %latch
leave:
  call void @barrier() [ "convergencectrl"(token %turn) ]
  br label %out
latch:
  br i1 %again, label %head, label %out
out:
  call void @barrier() [ "convergencectrl"(token %all) ]
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare void @barrier() convergent
