; Convergent Operation Semantics, "Hoisting and sinking", only one of the operations of
; sink-with-anchor-before.ll is sunk: wrong. The three threads of the sum, 7, are not the two that
; are counted, whereas in the original the group of both operations is the same.
;
; The threads return 72, 0 and 72.
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
; CHECK:      {{^}}Thread 0 returned 72{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 72{{$}}

define i32 @example(i32 %x, i1 %condition) {
A:
  %tok = call token @llvm.experimental.convergence.anchor()
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  br i1 %condition, label %B, label %C

B:
  %b = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %tok) ]
  %scaled = mul i32 %a, 10
  %both = add i32 %scaled, %b
  br label %C

C:
  %result = phi i32 [ 0, %A ], [ %both, %B ]
  ret i32 %result
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
