; RUN: convcheck enumerate --engine both %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start{{$}}
; CHECK-NEXT: {{^}}Thread 1: start{{$}}
; CHECK-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 2{{$}}
; CHECK-NEXT: {{^}}Outcome: 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignment 2:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start{{$}}
; CHECK-NEXT: {{^}}Thread 1: start{{$}}
; CHECK-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 1{{$}}
; CHECK-NEXT: {{^}}Outcome: 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 2:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}note: %r is no convergent operation but reaches entry: its groups are free{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 2 (complete)   Outcomes: 2{{$}}

; An alias is not the function's own name, so the call is no convergent operation and promises no group; but the
; callee asks for its caller's group by entry. Any grouping of the threads that come is allowed, with a warning.
;
; CONVCHECK: --threads 2 --function @caller

define i32 @caller() {
start:
  %r = call i32 @other_name()
  ret i32 %r
}

@other_name = internal alias i32 (), ptr @count

define internal i32 @count() convergent {
start:
  %callers = call token @llvm.experimental.convergence.entry()
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %callers) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
