; The second acceptance picture: the same paths as in natural.ll, but the way through C is a loop of
; its own. The block O, added between A and B, has the heart of the outer cycle {O, B, C}; B has the
; heart of the inner one, {B}, which counts anew in every round of the outer.
;
; So the second round of thread 0 through B has no partner: thread 1 left the inner loop after one.
; They meet again in C; then thread 1 goes round once more, alone.
; The operands 1 and 10 give the sum 11 first, then each thread adds up its own. The function
; returns its sums, two decimal digits a round.
;
; CONVCHECK: --threads 2 --arg %x=1,10
; CONVCHECK: --path "A O B B C D" --path "A O B C O B C D"
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
; RUN: convcheck run --all-blocks %s | FileCheck %s --check-prefix=ALL
; RUN: convcheck enumerate %s | FileCheck %s --check-prefix=EVERY
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B B C - - D{{$}}
; CHECK-NEXT: {{^}}Thread 1: A B - C B C D{{$}}
; CHECK:      {{^}}%sum.b (@subgroupAdd):{{$}}
; CHECK-NEXT: threads 0, 1 #1: 11{{$}}
; CHECK-NEXT: thread 0 #2: 1{{$}}
; CHECK-NEXT: thread 1 #2: 10{{$}}
; CHECK:      {{^}}Thread 0 returned 1101{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 1110{{$}}
; ALL:        {{^}}Thread 0: A O B B C - - - D{{$}}
; ALL-NEXT:   {{^}}Thread 1: A O B - C O B C D{{$}}
; EVERY: {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}

define i32 @nested(i32 %x, i1 %again, i1 %back) convergent {
A:
  %outside = call token @llvm.experimental.convergence.entry()
  br label %O

O:
  %sums.outer = phi i32 [ 0, %A ], [ %sums.next, %C ]
  %outer = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outside) ]
  br label %B

B:
  %sums = phi i32 [ %sums.outer, %O ], [ %sums.next, %B ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %sum.b = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %inner) ]
  %shifted = mul i32 %sums, 100
  %sums.next = add i32 %shifted, %sum.b
  br i1 %again, label %B, label %C

C:
  br i1 %back, label %O, label %D

D:
  ret i32 %sums.next
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
