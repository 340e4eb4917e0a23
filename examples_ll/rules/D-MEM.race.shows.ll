; RUN: convcheck enumerate %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start write -{{$}}
; CHECK-NEXT: {{^}}Thread 1: start - read{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned undef{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @cell = 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}note: accesses to @cell race, for not both are atomic and nothing orders them: such a read is undef{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}

; A race: thread 0 writes what thread 1 reads, nothing orders the two, and they are not atomic. In every order
; of the accesses the read gives undef, also in the one in which it comes first.
;
; CONVCHECK: --threads 2 --arg %writes=1,0

@cell = global i32 7

define i32 @race(i1 %writes) {
start:
  br i1 %writes, label %write, label %read
write:
  store i32 1, ptr @cell
  ret i32 0
read:
  %seen = load i32, ptr @cell
  ret i32 %seen
}
