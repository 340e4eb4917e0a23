; Convergent Operation Semantics, "Hoisting and sinking", an anchor in either arm, each for the
; operation beside it.
;
; The threads return 5, 10, 5 and 10.
;
; CONVCHECK: --threads 4 --arg %x=1,2,4,8 --arg %condition=1,0,1,0
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B - D{{$}}
; CHECK-NEXT: {{^}}Thread 1: A - C D{{$}}
; CHECK-NEXT: {{^}}Thread 2: A B - D{{$}}
; CHECK-NEXT: {{^}}Thread 3: A - C D{{$}}
; CHECK:      {{^}}Thread 0 returned 5{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 10{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 5{{$}}
; CHECK-NEXT: {{^}}Thread 3 returned 10{{$}}

define i32 @example(i32 %x, i1 %condition) {
A:
  br i1 %condition, label %B, label %C

B:
  %tok.b = call token @llvm.experimental.convergence.anchor()
  %sum.b = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok.b) ]
  br label %D

C:
  %tok.c = call token @llvm.experimental.convergence.anchor()
  %sum.c = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok.c) ]
  br label %D

D:
  %sum = phi i32 [ %sum.b, %B ], [ %sum.c, %C ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
