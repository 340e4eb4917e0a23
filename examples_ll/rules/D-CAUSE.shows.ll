; RUN: convcheck enumerate --engine both %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start{{$}}
; CHECK-NEXT: {{^}}Thread 1: start{{$}}
; CHECK-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 2{{$}}
; CHECK-NEXT: {{^}}Outcomes: 1-3{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 0{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @a = 1{{$}}
; CHECK-NEXT: {{^}}  @b = 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 2:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 1{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @a = 1{{$}}
; CHECK-NEXT: {{^}}  @b = 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 3:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 1{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 0{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @a = 1{{$}}
; CHECK-NEXT: {{^}}  @b = 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 3{{$}}

; The threads are together at the sum, but that orders no memory: being converged is no barrier. Each read stands before
; the sum and each write behind it, and yet a thread may read what its peer writes there, for the sum needs
; no value that was read, and the write needs no sum. Only that both do is impossible (D-MEM).
;
; CONVCHECK: --threads 2 --arg %own=@a,@b --arg %peer=@b,@a

@a = global i32 0
@b = global i32 0

define i32 @no_barrier(ptr %own, ptr %peer) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  %seen = load atomic i32, ptr %peer monotonic, align 4
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %all) ]
  store atomic i32 1, ptr %own monotonic, align 4
  ret i32 %seen
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
