; RUN: convcheck verify %s | FileCheck %s

; What is no convergent operation may stand above entry.

; CHECK: {{^}}ok: 1 function of 1 file{{$}}

define i32 @after_arithmetic(i32 %x) convergent {
  %y = add i32 %x, 1
  call void @plain()
  %all = call token @llvm.experimental.convergence.entry()
  call void @barrier() [ "convergencectrl"(token %all) ]
  ret i32 %y
}

declare token @llvm.experimental.convergence.entry()
declare void @barrier() convergent
declare void @plain()
