; RUN: convcheck enumerate %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start send - -{{$}}
; CHECK-NEXT: {{^}}Thread 1: start - receive read{{$}}
; CHECK-NEXT: {{^}}Outcomes: 1, 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned undef{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @data = 7{{$}}
; CHECK-NEXT: {{^}}  @flag = 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 2:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned -1{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @data = 7{{$}}
; CHECK-NEXT: {{^}}  @flag = 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}note: accesses to @data race, for not both are atomic and nothing orders them: such a read is undef{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 2{{$}}

; A cmpxchg that fails is a load, with its second ordering. Thread 1 expects 5 and finds the 1 that thread 0 stored: that is
; no acquire, so it may not rely on @data. With `acquire acquire` it could.
;
; CONVCHECK: --threads 2 --arg %me=0,1

@data = internal global i32 0
@flag = internal global i32 0

define i32 @message(i32 %me) {
start:
  %first = icmp eq i32 %me, 0
  br i1 %first, label %send, label %receive

send:
  store i32 7, ptr @data
  store atomic i32 1, ptr @flag release, align 4
  ret i32 0

receive:
  %pair = cmpxchg ptr @flag, i32 5, i32 6 acquire monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %raised = icmp eq i32 %old, 1
  br i1 %raised, label %read, label %early

read:
  %seen = load i32, ptr @data
  ret i32 %seen

early:
  ret i32 -1
}
