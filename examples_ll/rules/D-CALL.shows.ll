; RUN: convcheck run %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Thread 0: start one - out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start one - out{{$}}
; CHECK-NEXT: {{^}}Thread 2: start one - out{{$}}
; CHECK-NEXT: {{^}}Thread 3: start - other out{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%a (@add) in @caller:{{$}}
; CHECK-NEXT: {{^}}  threads 0-2 #1{{$}}
; CHECK-NEXT: {{^}}%b (@add) in @caller:{{$}}
; CHECK-NEXT: {{^}}  thread 3 #1{{$}}
; CHECK-NEXT: {{^}}%sum (@subgroupAdd) in @add:{{$}}
; CHECK-NEXT: {{^}}  threads 0-2 #1: 6{{$}}
; CHECK-NEXT: {{^}}  thread 3 #1: 4{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Threads 0-2 returned 6{{$}}
; CHECK-NEXT: {{^}}Thread 3 returned 4{{$}}

; @subgroupAdd is declared: calling it exchanges data. @add is defined: calling it stops nobody and exchanges
; nothing. It says nothing of its caller's group, so its sum is uncontrolled there, and in mode maximal the
; threads are converged within the call iff they are at it. They call from two places: two groups.
;
; CONVCHECK: --threads 4 --arg %x=1,2,3,4 --arg %left=1,1,1,0

define i32 @caller(i32 %x, i1 %left) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br i1 %left, label %one, label %other
one:
  %a = call i32 @add(i32 %x) [ "convergencectrl"(token %all) ]
  br label %out
other:
  %b = call i32 @add(i32 %x) [ "convergencectrl"(token %all) ]
  br label %out
out:
  %r = phi i32 [ %a, %one ], [ %b, %other ]
  ret i32 %r
}

define internal i32 @add(i32 %x) convergent {
start:
  %sum = call i32 @subgroupAdd(i32 %x)
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
