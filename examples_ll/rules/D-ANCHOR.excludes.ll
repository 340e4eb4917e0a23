; RUN: convcheck enumerate --engine both %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start{{$}}
; CHECK-NEXT: {{^}}Thread 1: start{{$}}
; CHECK-NEXT: {{^}}%first (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 2{{$}}
; CHECK-NEXT: {{^}}%second (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 2{{$}}
; CHECK-NEXT: {{^}}Outcome: 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignment 2:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start -{{$}}
; CHECK-NEXT: {{^}}Thread 1: - start{{$}}
; CHECK-NEXT: {{^}}%first (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 1{{$}}
; CHECK-NEXT: {{^}}%second (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 2{{$}}
; CHECK-NEXT: {{^}}Outcome: 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignment 3:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start -{{$}}
; CHECK-NEXT: {{^}}Thread 1: - start{{$}}
; CHECK-NEXT: {{^}}%first (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 2{{$}}
; CHECK-NEXT: {{^}}%second (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 1{{$}}
; CHECK-NEXT: {{^}}Outcome: 3{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignment 4:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start -{{$}}
; CHECK-NEXT: {{^}}Thread 1: - start{{$}}
; CHECK-NEXT: {{^}}%first (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 1{{$}}
; CHECK-NEXT: {{^}}%second (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 1{{$}}
; CHECK-NEXT: {{^}}Outcome: 4{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned [2, 2]{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 2:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned [1, 2]{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 3:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned [2, 1]{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 4:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned [1, 1]{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 4 (complete)   Outcomes: 4{{$}}

; Two anchors choose apart from each other: four alignments. But each count follows its own token: that
; %first has a group of two while its anchor put the threads apart is not there.
;
; CONVCHECK: --threads 2

define { i32, i32 } @two_anchors() {
start:
  %one = call token @llvm.experimental.convergence.anchor()
  %first = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %one) ]
  %other = call token @llvm.experimental.convergence.anchor()
  %second = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %other) ]
  %a = insertvalue { i32, i32 } zeroinitializer, i32 %first, 0
  %b = insertvalue { i32, i32 } %a, i32 %second, 1
  ret { i32, i32 } %b
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
