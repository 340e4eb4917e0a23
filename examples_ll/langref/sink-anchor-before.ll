; Convergent Operation Semantics, "Hoisting and sinking", an anchor above a branch, whose token is
; used only below it. Who communicates in B is some of the anchor's group, and of those only the
; ones that come: threads 0 and 2.
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
  %tok = call token @llvm.experimental.convergence.anchor()
  br i1 %condition, label %B, label %C

B:
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  br label %C

C:
  %result = phi i32 [ 0, %A ], [ %sum, %B ]
  ret i32 %result
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
