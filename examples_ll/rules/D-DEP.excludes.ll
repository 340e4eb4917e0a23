; RUN: not convcheck refine %s --threads 2 --arg %first=1,0 | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}wrong: @src -> @tgt: the target does what the source cannot{{$}}
; CHECK-NEXT: {{^}}Established: wrong for launch 1 of 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Launch: 2 threads{{$}}
; CHECK-NEXT: {{^}}  --threads 2{{$}}
; CHECK-NEXT: {{^}}  --arg %first=1,0{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}source | Source{{$}}
; CHECK-NEXT: {{^}}source | Thread 0: start which left latch which right latch - - - out{{$}}
; CHECK-NEXT: {{^}}source | Thread 1: start which - - - right latch which left latch out{{$}}
; CHECK-NEXT: {{^}}target | Target{{$}}
; CHECK-NEXT: {{^}}target | Thread 0: start which left latch which right - - - latch out{{$}}
; CHECK-NEXT: {{^}}target | Thread 1: start which - - - right latch which left latch out{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%lefts (@subgroupAdd):   |  %lefts (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 10        |    threads 0, 1 #1: 20{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 10        |  %rights (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}%rights (@subgroupAdd):  |    threads 0, 1 #1: 2{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 2     |{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}First difference: %lefts thread 0 #1: alone in the source, in a group of threads 0, 1 in the target{{$}}
; CHECK-NEXT: {{^}}  in the source %in.left put them in different groups, by choice (D-ANCHOR){{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Threads 0, 1 returned 12  |  Threads 0, 1 returned 22{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Difference: thread 0 returns 12 in the source, 22 in the target{{$}}

; Thread 0 comes to the left count and then to the right one, thread 1 the other way about. In the source a thread
; goes on only if its first count is not 0: each second count depends on the first. So both threads are together
; at one of the two at most. In the target nothing depends, both may be together at both, and that is wrong.

define i32 @src(i1 %first) convergent {
start:
  br label %which
which:
  %go_left = phi i1 [ %first, %start ], [ %not, %latch ]
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
  %not = xor i1 %go_left, true
  %turned = icmp ne i1 %not, %first
  %some = icmp ne i32 %count, 0
  %again = and i1 %turned, %some
  br i1 %again, label %which, label %out
out:
  ret i32 %counts.next
}

define i32 @tgt(i1 %first) convergent {
start:
  br label %which
which:
  %go_left = phi i1 [ %first, %start ], [ %not, %latch ]
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
  %not = xor i1 %go_left, true
  %turned = icmp ne i1 %not, %first
  br i1 %turned, label %which, label %out
out:
  ret i32 %counts.next
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
