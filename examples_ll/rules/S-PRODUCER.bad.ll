; RUN: not convcheck verify %s | FileCheck %s

; The coroutine's identity is of type token, but it stands for no group of threads.

; CHECK: error[S-PRODUCER]
; CHECK: {{^}}1 error in 1 function

define void @foreign_token() {
  %coroutine = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  call void @barrier() [ "convergencectrl"(token %coroutine) ]
  ret void
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)

declare void @barrier() convergent
