; RUN: convcheck enumerate --engine both %s | FileCheck %s
; RUN: convcheck run -q --why "%lefts thread 0, thread 1" %s | FileCheck %s --check-prefix=WHY
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start which left latch which right latch - - - out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start which - - - right latch which left latch out{{$}}
; CHECK-NEXT: {{^}}%lefts (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 10{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 10{{$}}
; CHECK-NEXT: {{^}}%rights (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 2{{$}}
; CHECK-NEXT: {{^}}Outcome: 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignment 2:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start which - - - left latch which right latch out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start which right latch which left latch - - - out{{$}}
; CHECK-NEXT: {{^}}%lefts (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 20{{$}}
; CHECK-NEXT: {{^}}%rights (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 1{{$}}
; CHECK-NEXT: {{^}}Outcome: 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignment 3:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start which left - latch which right - latch out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start which - right latch which - left latch out{{$}}
; CHECK-NEXT: {{^}}%lefts (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 10{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 10{{$}}
; CHECK-NEXT: {{^}}%rights (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 1{{$}}
; CHECK-NEXT: {{^}}Outcome: 3{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 12{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 2:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 21{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 3:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 11{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 3 (complete)   Outcomes: 3{{$}}
; WHY: {{^}}Thread 0: start which left latch which right latch - - - out{{$}}
; WHY-NEXT: {{^}}Thread 1: start which - - - right latch which left latch out{{$}}
; WHY-EMPTY:
; WHY-NEXT: {{^}}{{.*}}D-ORDER.excludes.ll:78:3: not converged[D-ANCHOR]: %lefts thread 0 #1, thread 1 #1: %in.left put them in different groups, by choice{{$}}
; WHY-NEXT: {{^}} 77 |   %in.left = call token @llvm.experimental.convergence.anchor(){{$}}
; WHY-NEXT: {{^}}    |   ------------------------------------------------------------- here they part{{$}}
; WHY-NEXT: {{^}} 78 |   %lefts = call i32 @subgroupAdd(i32 10) [ "convergencectrl"(token %in.left) ]{{$}}
; WHY-NEXT: {{^}}    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^{{$}}
; WHY-NEXT: {{^}}    = key of thread 0 #1: use(%lefts, anchor(%in.left, group 0)){{$}}
; WHY-NEXT: {{^}}    = key of thread 1 #1: use(%lefts, anchor(%in.left, group 2)){{$}}
; WHY-NEXT: {{^}}    = together they would close a cycle in convergence-before (D-ORDER):{{$}}
; WHY-NEXT: {{^}}    thread 0 executes %in.left #1 before %in.right #1, which is converged with thread 1's %in.right #1{{$}}
; WHY-NEXT: {{^}}    thread 1 executes %in.right #1 before %in.left #1, which would be converged with thread 0's %in.left #1{{$}}
; WHY-NEXT: {{^}}    = with all other choices as they are, they cannot meet; with other ones, they do:{{$}}
; WHY-NEXT: {{^}}    Thread 0: start which - - - left latch which right latch out{{$}}
; WHY-NEXT: {{^}}    Thread 1: start which right latch which left latch - - - out{{$}}

; Thread 0 comes to the left anchor and then to the right one, thread 1 the other way about. The left counts may
; have both threads, or the right ones, or none; three alignments. Both is not there: thread 0 has left before
; right, thread 1 right before left, so each of the two meetings would have to come before the other.
;
; CONVCHECK: --threads 2
; CONVCHECK: --path "start which left latch which right latch out"
; CONVCHECK: --path "start which right latch which left latch out"

define i32 @crossing(i1 %go_left, i1 %again) {
start:
  br label %which
which:
  %counts = phi i32 [ 0, %start ], [ %counts.next, %latch ]
  br i1 %go_left, label %left, label %right
left:
  %in.left = call token @llvm.experimental.convergence.anchor()
  %lefts = call i32 @subgroupAdd(i32 10) [ "convergencectrl"(token %in.left) ]
  br label %latch
right:
  %in.right = call token @llvm.experimental.convergence.anchor()
  %rights = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %in.right) ]
  br label %latch
latch:
  %count = phi i32 [ %lefts, %left ], [ %rights, %right ]
  %counts.next = add i32 %counts, %count
  br i1 %again, label %which, label %out
out:
  ret i32 %counts.next
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
