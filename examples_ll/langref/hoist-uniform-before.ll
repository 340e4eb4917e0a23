; Convergent Operation Semantics, "Hoisting and sinking" across a uniform branch. All threads that
; entered together take the same direction, so the operation in B has the group of entry; it can as
; well stand before the branch, as in hoist-uniform-after.ll. (Over a divergent branch it cannot:
; reductions-hoisted.ll.)
;
; All threads return 7.
;
; CONVCHECK: --threads 3 --arg %x=1,2,4 --arg %uniform=1
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B C{{$}}
; CHECK-NEXT: {{^}}Thread 1: A B C{{$}}
; CHECK-NEXT: {{^}}Thread 2: A B C{{$}}
; CHECK:      {{^}}Threads 0-2 returned 7{{$}}

define i32 @example(i32 %x, i1 %uniform) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %uniform, label %B, label %C

B:
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %entry) ]
  br label %C

C:
  %result = phi i32 [ 0, %A ], [ %sum, %B ]
  ret i32 %result
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
