; Convergent Operation Semantics, "Hoisting and sinking", the anchor of sink-anchor-before.ll sunk
; to its only use: allowed. The groups that are possible in B, any partition of the threads that
; come there, are the same.
;
; The threads return 5, 0 and 5.
;
; CONVCHECK: --threads 3 --arg %x=1,2,4 --arg %condition=1,0,1
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B C{{$}}
; CHECK-NEXT: {{^}}Thread 1: A - C{{$}}
; CHECK-NEXT: {{^}}Thread 2: A B C{{$}}
; CHECK:      {{^}}Thread 0 returned 5{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 5{{$}}

define i32 @example(i32 %x, i1 %condition) {
A:
  br i1 %condition, label %B, label %C

B:
  %tok = call token @llvm.experimental.convergence.anchor()
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  br label %C

C:
  %result = phi i32 [ 0, %A ], [ %sum, %B ]
  ret i32 %result
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
