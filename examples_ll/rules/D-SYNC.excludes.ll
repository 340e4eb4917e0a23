; RUN: convcheck enumerate --engine both %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start write - -{{$}}
; CHECK-NEXT: {{^}}Thread 1: start - read before{{$}}
; CHECK-NEXT: {{^}}Outcomes: 1, 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned -1{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @data = 7{{$}}
; CHECK-NEXT: {{^}}  @flag = 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 2:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 7{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @data = 7{{$}}
; CHECK-NEXT: {{^}}  @flag = 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 2{{$}}

; Message passing without a race: thread 0 writes the data, then the flag, with release; thread 1 reads the flag, with
; acquire, and then the data. That it sees the flag and not the data is not there.
;
; CONVCHECK: --threads 2 --arg %writes=1,0

@data = global i32 0
@flag = global i32 0

define i32 @pass(i1 %writes) {
start:
  br i1 %writes, label %write, label %read
write:
  store i32 7, ptr @data
  store atomic i32 1, ptr @flag release, align 4
  ret i32 0
read:
  %flag = load atomic i32, ptr @flag acquire, align 4
  %set = icmp eq i32 %flag, 1
  br i1 %set, label %after, label %before
after:
  %seen = load i32, ptr @data
  ret i32 %seen
before:
  ret i32 -1
}
