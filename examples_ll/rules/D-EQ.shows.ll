; RUN: convcheck run %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Thread 0: start one - out - - -{{$}}
; CHECK-NEXT: {{^}}Thread 1: start - other out - - -{{$}}
; CHECK-NEXT: {{^}}Thread 2: - - - - start one out{{$}}
; CHECK-NEXT: {{^}}Thread 3: - - - - start one out{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%sum.one (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  threads 2, 3 #1: 7{{$}}
; CHECK-NEXT: {{^}}%sum.other (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 2{{$}}
; CHECK-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 3{{$}}
; CHECK-NEXT: {{^}}  threads 2, 3 #1: 14{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Threads 0, 1 returned 3{{$}}
; CHECK-NEXT: {{^}}Threads 2, 3 returned 14{{$}}

; Four threads in two launch groups. The sums in the two arms are two instructions, so they are never
; converged although they say the same. The sum behind the branch is one instruction: it brings together
; threads 0 and 1, and threads 2 and 3, but never threads of both launch groups.
;
; CONVCHECK: --threads 4 --subgroup-size 2 --arg %x=1,2,3,4 --arg %left=1,0,1,1

define i32 @arms(i32 %x, i1 %left) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br i1 %left, label %one, label %other
one:
  %sum.one = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %all) ]
  br label %out
other:
  %sum.other = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %all) ]
  br label %out
out:
  %sum.arm = phi i32 [ %sum.one, %one ], [ %sum.other, %other ]
  %sum = call i32 @subgroupAdd(i32 %sum.arm) [ "convergencectrl"(token %all) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
