; RUN: convcheck enumerate --engine both %s | FileCheck %s
; RUN: convcheck run -q --why "%added thread 0 #1, thread 0 #2" %s | FileCheck %s --check-prefix=WHY
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start turn turn out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start - turn out{{$}}
; CHECK-NEXT: {{^}}%added (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 0 #2, thread 1 #1: 11{{$}}
; CHECK-NEXT: {{^}}Outcome: 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignment 2:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start turn turn out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start turn - out{{$}}
; CHECK-NEXT: {{^}}%added (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 11{{$}}
; CHECK-NEXT: {{^}}  thread 0 #2: 1{{$}}
; CHECK-NEXT: {{^}}Outcome: 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignment 3:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start turn turn - out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start - - turn out{{$}}
; CHECK-NEXT: {{^}}%added (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 10{{$}}
; CHECK-NEXT: {{^}}  thread 0 #2: 1{{$}}
; CHECK-NEXT: {{^}}Outcome: 3{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 11{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 2:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 1{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 11{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 3:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 1{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 10{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 3 (complete)   Outcomes: 3{{$}}
; WHY: {{^}}Thread 0: start turn turn out{{$}}
; WHY-NEXT: {{^}}Thread 1: start turn - out{{$}}
; WHY-EMPTY:
; WHY-NEXT: {{^}}{{.*}}D-EQ.excludes.ll:61:3: not converged[D-EQ]: %added thread 0 #1, thread 0 #2: both are thread 0's: two instances of one thread are never converged{{$}}
; WHY-NEXT: {{^}} 61 |   %added = call i32 @subgroupAdd(i32 %x){{$}}
; WHY-NEXT: {{^}}    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^{{$}}
; WHY-NEXT: {{^}}    = key of thread 0 #1: free(%added, group 0){{$}}
; WHY-NEXT: {{^}}    = key of thread 0 #2: free(%added, group 1){{$}}

; Nothing but D-EQ and D-ORDER bounds an uncontrolled operation in mode any. Thread 0 passes it twice and
; thread 1 once: thread 1 is with neither, with the first, or with the second instance. That all three are
; converged is not there, for two of them are thread 0's.
;
; CONVCHECK: --threads 2 --uncontrolled any --arg %rounds=2,1 --arg %x=1,10

define i32 @twice_and_once(i32 %rounds, i32 %x) {
start:
  br label %turn
turn:
  %n = phi i32 [ 1, %start ], [ %next, %turn ]
  %added = call i32 @subgroupAdd(i32 %x)
  %next = add i32 %n, 1
  %again = icmp ule i32 %next, %rounds
  br i1 %again, label %turn, label %out
out:
  ret i32 %added
}

declare i32 @subgroupAdd(i32) convergent
