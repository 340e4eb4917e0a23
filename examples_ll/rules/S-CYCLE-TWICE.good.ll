; RUN: convcheck verify %s | FileCheck %s

; Two loops one after the other may have hearts with the same token: no closed path passes both.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @in_sequence(i1 %again, i1 %more) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %first
first:
  %one = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  call void @barrier() [ "convergencectrl"(token %one) ]
  br i1 %again, label %first, label %second
second:
  %two = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  call void @barrier() [ "convergencectrl"(token %two) ]
  br i1 %more, label %second, label %out
out:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare void @barrier() convergent
