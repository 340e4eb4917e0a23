; Convergent Operation Semantics, "Hoisting and sinking", the operations of
; sink-under-entry-before.ll sunk: wrong, other than under an anchor. Thread 1 must take part and
; does not.
;
; The threads return 52, 0 and 52.
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
; CHECK:      {{^}}Thread 0 returned 52{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 52{{$}}

define i32 @example(i32 %x, i1 %condition) convergent {
A:
  %tok = call token @llvm.experimental.convergence.entry()
  br i1 %condition, label %B, label %C

B:
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %tok) ]
  %b = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %tok) ]
  %scaled = mul i32 %a, 10
  %both = add i32 %scaled, %b
  br label %C

C:
  %result = phi i32 [ 0, %A ], [ %both, %B ]
  ret i32 %result
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
