; RUN: convcheck verify %s | FileCheck %s

; The definition lies on every path to each use: the entry block is on all.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define void @above_both(i1 %left) {
start:
  %group = call token @llvm.experimental.convergence.anchor()
  br i1 %left, label %one, label %two
one:
  br label %join
two:
  br label %join
join:
  call void @barrier() [ "convergencectrl"(token %group) ]
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare void @barrier() convergent
