; RUN: convcheck enumerate --engine both %s | FileCheck %s
; RUN: convcheck enumerate -q --engine both %s --threads 3 | FileCheck %s --check-prefix=THREE
; RUN: convcheck enumerate -q --engine both %s --threads 4 --subgroup-size 2 | FileCheck %s --check-prefix=PAIRS
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start{{$}}
; CHECK-NEXT: {{^}}Thread 1: start{{$}}
; CHECK-NEXT: {{^}}%count (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 2{{$}}
; CHECK-NEXT: {{^}}%again (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 4{{$}}
; CHECK-NEXT: {{^}}Outcome: 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignment 2:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start -{{$}}
; CHECK-NEXT: {{^}}Thread 1: - start{{$}}
; CHECK-NEXT: {{^}}%count (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 1{{$}}
; CHECK-NEXT: {{^}}%again (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 1{{$}}
; CHECK-NEXT: {{^}}Outcome: 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 4{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 2:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 2 (complete)   Outcomes: 2{{$}}
; THREE: {{^}}Alignments: 5 (complete)   Outcomes: 5{{$}}
; PAIRS: {{^}}Alignments: 4 (complete)   Outcomes: 4{{$}}

; An anchor groups the threads that come to it in any way: two threads in 2 ways, three in 5. Threads of
; different launch groups stay apart, which leaves two pairs 2 ways each, 4 together. Who was grouped stays
; so: both sums have the token, and so the same group.
;
; CONVCHECK: --threads 2

define i32 @grouped() {
start:
  %group = call token @llvm.experimental.convergence.anchor()
  %count = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %group) ]
  %again = call i32 @subgroupAdd(i32 %count) [ "convergencectrl"(token %group) ]
  ret i32 %again
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
