; The original of natural.ll and nested.ll, before anyone put in tokens: its sum is uncontrolled, and
; either of the two is a way to say which threads are meant to communicate.
;
; By default uncontrolled operations follow LLVM's maximal converged-with relation, which counts
; instances of cycle headers: here, those of B in the one cycle {B, C}. So it gives the natural
; alignment. As long as nobody says so, any of six alignments is possible, down to none at all.
; The operands are 1 and 10; the function returns its sums, two decimal digits a round.
;
; CONVCHECK: --threads 2 --arg %x=1,10
; CONVCHECK: --path "A B B C D" --path "A B C B C D"
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
; RUN: convcheck run --uncontrolled none %s | FileCheck %s --check-prefix=NONE
; RUN: convcheck enumerate --uncontrolled any %s | FileCheck %s --check-prefix=ANY
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B - B C D{{$}}
; CHECK-NEXT: {{^}}Thread 1: A B C B C D{{$}}
; CHECK:      {{^}}%sum.b (@subgroupAdd):{{$}}
; CHECK-NEXT: threads 0, 1 #1: 11{{$}}
; CHECK-NEXT: threads 0, 1 #2: 11{{$}}
; CHECK:      {{^}}Threads 0, 1 returned 1111{{$}}
; NONE:       {{^}}Thread 0: A B B C - - - - D{{$}}
; NONE-NEXT:  {{^}}Thread 1: A - - - B C B C D{{$}}
; NONE:      {{^}}%sum.b (@subgroupAdd):{{$}}
; NONE-NEXT: thread 0 #1: 1{{$}}
; NONE-NEXT: thread 1 #1: 10{{$}}
; NONE-NEXT: thread 0 #2: 1{{$}}
; NONE-NEXT: thread 1 #2: 10{{$}}
; NONE:      {{^}}Thread 0 returned 101{{$}}
; NONE-NEXT: {{^}}Thread 1 returned 1010{{$}}
; ANY: {{^}}Alignment 1:{{$}}
; ANY-NEXT: {{^}}Thread 0: A B - B C D{{$}}
; ANY-NEXT: {{^}}Thread 1: A B C B C D{{$}}
; ANY: {{^}}Alignment 6:{{$}}
; ANY: {{^}}Alignments: 6 (complete)   Outcomes: 6{{$}}

define i32 @uncontrolled(i32 %x, i1 %again, i1 %back) convergent {
A:
  br label %B

B:
  %sums = phi i32 [ 0, %A ], [ %sums.next, %B ], [ %sums.next, %C ]
  %sum.b = call i32 @subgroupAdd(i32 %x)
  %shifted = mul i32 %sums, 100
  %sums.next = add i32 %shifted, %sum.b
  br i1 %again, label %B, label %C

C:
  br i1 %back, label %B, label %D

D:
  ret i32 %sums.next
}

declare i32 @subgroupAdd(i32) convergent
