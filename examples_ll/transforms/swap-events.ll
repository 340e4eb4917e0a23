; Two operations that may do anything change places.
; Wrong, without any convergence: each thread's calls with effects are seen in their order.
;
; RUN: not convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: {{^}}Difference:

define void @src() {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  call void @meet() [ "convergencectrl"(token %tok) ]
  call void @subgroupControlBarrier() [ "convergencectrl"(token %tok) ]
  ret void
}

define void @tgt() {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  call void @subgroupControlBarrier() [ "convergencectrl"(token %tok) ]
  call void @meet() [ "convergencectrl"(token %tok) ]
  ret void
}

declare void @meet() convergent
declare void @subgroupControlBarrier() convergent
declare token @llvm.experimental.convergence.anchor()
