; RUN: convcheck enumerate --engine both %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start{{$}}
; CHECK-NEXT: {{^}}Thread 1: start{{$}}
; CHECK-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 0{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 0{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @a = 1{{$}}
; CHECK-NEXT: {{^}}  @b = 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}

; Each thread reads its peer's cell, the sum takes what they read, and each writes one more than the sum. A value
; out of thin air would be one that a thread reads because of the sum that it is a part of. That is not there:
; a read comes before the sum that it goes into, the sum before the write that it is written by, so
; both read 0.
;
; CONVCHECK: --threads 2 --arg %own=@a,@b --arg %peer=@b,@a

@a = global i32 0
@b = global i32 0

define i32 @thin_air(ptr %own, ptr %peer) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  %seen = load atomic i32, ptr %peer monotonic, align 4
  %sum = call i32 @subgroupAdd(i32 %seen) [ "convergencectrl"(token %all) ]
  %more = add i32 %sum, 1
  store atomic i32 %more, ptr %own monotonic, align 4
  ret i32 %seen
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
