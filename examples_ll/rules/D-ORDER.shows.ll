; RUN: convcheck enumerate -q --engine both %s | FileCheck %s
; RUN: convcheck run %s | FileCheck %s --check-prefix=RUN-ONE
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignments: 6 (complete)   Outcomes: 4{{$}}
; RUN-ONE: {{^}}Thread 0: start turn turn out{{$}}
; RUN-ONE-NEXT: {{^}}Thread 1: start turn turn out{{$}}
; RUN-ONE-EMPTY:
; RUN-ONE-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; RUN-ONE-NEXT: {{^}}  threads 0, 1 #1: 11{{$}}
; RUN-ONE-NEXT: {{^}}  threads 0, 1 #2: 11{{$}}
; RUN-ONE-EMPTY:
; RUN-ONE-NEXT: {{^}}Threads 0, 1 returned 11{{$}}

; Two threads pass an uncontrolled operation twice each, in mode any. Pairs of instances may be converged as long
; as no two pairs cross: 1 way with no pair, 4 with one, 1 with two. That thread 0's first meets thread 1's second
; while its second meets thread 1's first is the seventh way, and is not there: each meeting would come before
; the other. The picture shows the columns: equal for who is together, growing along each thread.
;
; CONVCHECK: --threads 2 --uncontrolled any --arg %x=1,10

define i32 @twice(i32 %x) {
start:
  br label %turn
turn:
  %first = phi i1 [ true, %start ], [ false, %turn ]
  %sum = call i32 @subgroupAdd(i32 %x)
  br i1 %first, label %turn, label %out
out:
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent
