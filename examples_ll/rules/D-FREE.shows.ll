; RUN: convcheck enumerate --engine both %s --uncontrolled maximal | FileCheck %s --check-prefix=MAXIMAL
; RUN: convcheck enumerate --engine both %s --uncontrolled any | FileCheck %s --check-prefix=ANY
; RUN: convcheck enumerate --engine both %s --uncontrolled none | FileCheck %s --check-prefix=NONE
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; MAXIMAL: {{^}}Alignment 1:{{$}}
; MAXIMAL-NEXT: {{^}}Thread 0: start turn - out{{$}}
; MAXIMAL-NEXT: {{^}}Thread 1: start turn turn out{{$}}
; MAXIMAL-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; MAXIMAL-NEXT: {{^}}  threads 0, 1 #1: 11{{$}}
; MAXIMAL-NEXT: {{^}}  thread 1 #2: 10{{$}}
; MAXIMAL-EMPTY:
; MAXIMAL-NEXT: {{^}}Outcome 1:{{$}}
; MAXIMAL-NEXT: {{^}}Thread 0 returned 11{{$}}
; MAXIMAL-NEXT: {{^}}Thread 1 returned 1110{{$}}
; MAXIMAL-EMPTY:
; MAXIMAL-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}
; ANY: {{^}}Alignment 1:{{$}}
; ANY-NEXT: {{^}}Thread 0: start turn - out{{$}}
; ANY-NEXT: {{^}}Thread 1: start turn turn out{{$}}
; ANY-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; ANY-NEXT: {{^}}  threads 0, 1 #1: 11{{$}}
; ANY-NEXT: {{^}}  thread 1 #2: 10{{$}}
; ANY-NEXT: {{^}}Outcome: 1{{$}}
; ANY-EMPTY:
; ANY-NEXT: {{^}}Alignment 2:{{$}}
; ANY-NEXT: {{^}}Thread 0: start - turn out{{$}}
; ANY-NEXT: {{^}}Thread 1: start turn turn out{{$}}
; ANY-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; ANY-NEXT: {{^}}  thread 0 #1, thread 1 #2: 11{{$}}
; ANY-NEXT: {{^}}  thread 1 #1: 10{{$}}
; ANY-NEXT: {{^}}Outcome: 2{{$}}
; ANY-EMPTY:
; ANY-NEXT: {{^}}Alignment 3:{{$}}
; ANY-NEXT: {{^}}Thread 0: start turn - - out{{$}}
; ANY-NEXT: {{^}}Thread 1: start - turn turn out{{$}}
; ANY-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; ANY-NEXT: {{^}}  thread 0 #1: 1{{$}}
; ANY-NEXT: {{^}}  thread 1 #1: 10{{$}}
; ANY-NEXT: {{^}}  thread 1 #2: 10{{$}}
; ANY-NEXT: {{^}}Outcome: 3{{$}}
; ANY-EMPTY:
; ANY-NEXT: {{^}}Outcome 1:{{$}}
; ANY-NEXT: {{^}}Thread 0 returned 11{{$}}
; ANY-NEXT: {{^}}Thread 1 returned 1110{{$}}
; ANY-EMPTY:
; ANY-NEXT: {{^}}Outcome 2:{{$}}
; ANY-NEXT: {{^}}Thread 0 returned 11{{$}}
; ANY-NEXT: {{^}}Thread 1 returned 1011{{$}}
; ANY-EMPTY:
; ANY-NEXT: {{^}}Outcome 3:{{$}}
; ANY-NEXT: {{^}}Thread 0 returned 1{{$}}
; ANY-NEXT: {{^}}Thread 1 returned 1010{{$}}
; ANY-EMPTY:
; ANY-NEXT: {{^}}Alignments: 3 (complete)   Outcomes: 3{{$}}
; NONE: {{^}}Alignment 1:{{$}}
; NONE-NEXT: {{^}}Thread 0: start turn - - out{{$}}
; NONE-NEXT: {{^}}Thread 1: start - turn turn out{{$}}
; NONE-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; NONE-NEXT: {{^}}  thread 0 #1: 1{{$}}
; NONE-NEXT: {{^}}  thread 1 #1: 10{{$}}
; NONE-NEXT: {{^}}  thread 1 #2: 10{{$}}
; NONE-EMPTY:
; NONE-NEXT: {{^}}Outcome 1:{{$}}
; NONE-NEXT: {{^}}Thread 0 returned 1{{$}}
; NONE-NEXT: {{^}}Thread 1 returned 1010{{$}}
; NONE-EMPTY:
; NONE-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}

; A sum without a token in a loop; thread 0 goes round once, thread 1 twice. By mode maximal the loop's header
; counts the rounds; by mode any thread 0 is with either round of thread 1, or with none; by mode none
; everybody is alone.
;
; CONVCHECK: --threads 2 --arg %x=1,10 --arg %rounds=1,2

define i32 @uncontrolled(i32 %x, i32 %rounds) {
start:
  br label %turn
turn:
  %n = phi i32 [ 1, %start ], [ %next, %turn ]
  %sums = phi i32 [ 0, %start ], [ %sums.next, %turn ]
  %sum = call i32 @subgroupAdd(i32 %x)
  %shifted = mul i32 %sums, 100
  %sums.next = add i32 %shifted, %sum
  %next = add i32 %n, 1
  %again = icmp ule i32 %next, %rounds
  br i1 %again, label %turn, label %out
out:
  ret i32 %sums.next
}

declare i32 @subgroupAdd(i32) convergent
