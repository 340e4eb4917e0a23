; RUN: convcheck enumerate --engine both %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start turn - left - out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start turn turn left - out{{$}}
; CHECK-NEXT: {{^}}Thread 2: start turn turn left aside out{{$}}
; CHECK-NEXT: {{^}}%here (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0-2 #1: 111{{$}}
; CHECK-NEXT: {{^}}  threads 1, 2 #2: 110{{$}}
; CHECK-NEXT: {{^}}%late (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0-2 #1: 331{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Threads 0-2 returned 331{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}

; Three threads leave a loop: one after each of two rounds, one after the second by another block. What uses the heart's
; token is done by those who are in that round. What uses the entry's token is done by all who come there,
; whenever they left: %late follows its token, and not the moment at which a thread gets to it.
;
; CONVCHECK: --threads 3 --arg %x=1,10,100 --arg %rounds=1,2,2 --arg %early=0,0,1

define i32 @leaving(i32 %x, i32 %rounds, i1 %early) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %turn
turn:
  %n = phi i32 [ 1, %start ], [ %next, %turn ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %here = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %heart) ]
  %next = add i32 %n, 1
  %again = icmp ule i32 %next, %rounds
  br i1 %again, label %turn, label %left
left:
  br i1 %early, label %aside, label %out
aside:
  br label %out
out:
  %late = call i32 @subgroupAdd(i32 %here) [ "convergencectrl"(token %all) ]
  ret i32 %late
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
