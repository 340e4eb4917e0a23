; RUN: convcheck verify %s | FileCheck %s

; One entry, in the entry block; its token reaches everywhere.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @once(i1 %near) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br i1 %near, label %here, label %there
here:
  call void @barrier() [ "convergencectrl"(token %all) ]
  ret void
there:
  call void @barrier() [ "convergencectrl"(token %all) ]
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare void @barrier() convergent
