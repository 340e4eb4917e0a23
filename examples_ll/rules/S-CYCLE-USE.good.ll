; RUN: convcheck verify %s | FileCheck %s

; A loop in the header takes the outer token over; inside, its own token is used. The second loop holds an
; anchor: the cycle contains its definition.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @heart_between(i1 %again, i1 %more) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  br label %body
body:
  call void @barrier() [ "convergencectrl"(token %turn) ]
  br i1 %again, label %head, label %second
second:
  %some = call token @llvm.experimental.convergence.anchor()
  br label %tail
tail:
  call void @barrier() [ "convergencectrl"(token %some) ]
  br i1 %more, label %second, label %out
out:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
