; RUN: convcheck enumerate --engine both %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start round - on round meet on end{{$}}
; CHECK-NEXT: {{^}}Thread 1: start round meet on - - - end{{$}}
; CHECK-NEXT: {{^}}%one (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 1{{$}}
; CHECK-NEXT: {{^}}Outcomes: 1, 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @count = 2{{$}}
; CHECK-NEXT: {{^}}  @names = [10, 11]{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 2:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @count = 2{{$}}
; CHECK-NEXT: {{^}}  @names = [11, 10]{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 2{{$}}

; Where an access goes is a dependence of that access, not of what stands behind it. Thread 0 comes to the sum in its
; second round, thread 1 in its first. After the sum each takes a number and writes its name where the number says. The
; number decides nobody's way: thread 0 need not wait for thread 1's to know that it sums alone. So either may be first.
;
; CONVCHECK: --threads 2 --arg %late=1,0

@count = global i32 0
@names = global [2 x i32] zeroinitializer

define void @numbers(i32 %late) convergent {
start:
  br label %round
round:
  %i = phi i32 [ 0, %start ], [ %next, %on ]
  %now = icmp eq i32 %i, %late
  br i1 %now, label %meet, label %on
meet:
  %one = call i32 @subgroupAdd(i32 1)
  %number = atomicrmw add ptr @count, i32 %one monotonic
  %place = getelementptr [2 x i32], ptr @names, i32 0, i32 %number
  %name = add i32 %late, 10
  store atomic i32 %name, ptr %place monotonic, align 4
  br label %on
on:
  %next = add i32 %i, 1
  %again = icmp ule i32 %next, %late
  br i1 %again, label %round, label %end
end:
  ret void
}

declare i32 @subgroupAdd(i32) convergent
