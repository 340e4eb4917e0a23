; RUN: convcheck enumerate --engine both %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start{{$}}
; CHECK-NEXT: {{^}}Thread 1: start{{$}}
; CHECK-NEXT: {{^}}Outcomes: 1, 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 1{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @counter = 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 2:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 1{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 0{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @counter = 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 2{{$}}

; All accesses have one order that extends each thread's own. Two threads each add one to a counter: whoever comes
; first reads 0, the other 1. And each order leaves 2.
;
; CONVCHECK: --threads 2

@counter = global i32 0

define i32 @ticket() {
start:
  %mine = atomicrmw add ptr @counter, i32 1 monotonic
  ret i32 %mine
}
