; RUN: convcheck enumerate --engine both %s | FileCheck %s
; RUN: convcheck run -q --why "%added thread 0 #1, thread 1 #2" %s | FileCheck %s --check-prefix=WHY
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start turn - tail turn more tail out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start turn more tail turn - tail out{{$}}
; CHECK-NEXT: {{^}}Thread 2: start turn - tail - - - out{{$}}
; CHECK-NEXT: {{^}}%added (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0-2 #1: 111{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #2: 11{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 11{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 111{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}
; WHY: {{^}}Thread 0: start turn - tail turn more tail out{{$}}
; WHY-NEXT: {{^}}Thread 1: start turn more tail turn - tail out{{$}}
; WHY-NEXT: {{^}}Thread 2: start turn - tail - - - out{{$}}
; WHY-EMPTY:
; WHY-NEXT: {{^}}{{.*}}D-LOOP.shows.ll:44:3: not converged[D-LOOP]: %added thread 0 #1, thread 1 #2: %heart was executed for the 1st time with its token in thread 0, for the 2nd time in thread 1{{$}}
; WHY-NEXT: {{^}} 43 |   %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]{{$}}
; WHY-NEXT: {{^}}    |   ------------------------------------------------------------------------------------------- 1st time in thread 0, 2nd time in thread 1{{$}}
; WHY-NEXT: {{^}} 44 |   %added = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %heart) ]{{$}}
; WHY-NEXT: {{^}}    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^{{$}}
; WHY-NEXT: {{^}}    = key of thread 0 #1: use(%added, loop(%heart, entry(%all, launch), 1)){{$}}
; WHY-NEXT: {{^}}    = key of thread 1 #2: use(%added, loop(%heart, entry(%all, launch), 2)){{$}}

; The heart counts: the threads are together in their first round and in their second, whichever way each took
; from there to the next heart. Thread 0 skips a block in its first round, thread 1 in its second. Thread 2 leaves
; after one round. There is no other alignment: in none does thread 0's first round meet thread 1's second.
;
; CONVCHECK: --threads 3 --arg %x=1,10,100
; CONVCHECK: --path "start turn tail turn more tail out"
; CONVCHECK: --path "start turn more tail turn tail out"
; CONVCHECK: --path "start turn tail out"

define i32 @rounds(i32 %x, i1 %long, i1 %again) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %turn
turn:
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %added = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %heart) ]
  br i1 %long, label %more, label %tail
more:
  br label %tail
tail:
  br i1 %again, label %turn, label %out
out:
  ret i32 %added
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
