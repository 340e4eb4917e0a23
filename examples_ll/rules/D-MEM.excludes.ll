; RUN: convcheck enumerate --engine both %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start{{$}}
; CHECK-NEXT: {{^}}Thread 1: start{{$}}
; CHECK-NEXT: {{^}}Outcomes: 1-3{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 1{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @a = 1{{$}}
; CHECK-NEXT: {{^}}  @b = 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 2:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 1{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 0{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @a = 1{{$}}
; CHECK-NEXT: {{^}}  @b = 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 3:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 1{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @a = 1{{$}}
; CHECK-NEXT: {{^}}  @b = 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 3{{$}}

; Each thread writes its own cell and then reads its peer's. Whatever the one order of these four accesses is, the
; access that comes last is a read, of a cell that was written: that both read 0 is not there. (Monotonic
; accesses may do that on real machines; here memory is sequentially consistent.)
;
; CONVCHECK: --threads 2 --arg %own=@a,@b --arg %peer=@b,@a

@a = global i32 0
@b = global i32 0

define i32 @write_then_read(ptr %own, ptr %peer) {
start:
  store atomic i32 1, ptr %own monotonic, align 4
  %seen = load atomic i32, ptr %peer monotonic, align 4
  ret i32 %seen
}
