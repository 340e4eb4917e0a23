; The first acceptance picture: a natural loop, its heart in the header B.
;
; Two edges go back to B, from B itself and from C, but they close one cycle, {B, C}, and its heart
; counts one as the other. So the second round of thread 0, which goes from B to B, is converged
; with the second round of thread 1, which comes by way of C.
; The operands 1 and 10 give the sum 11 in both rounds; the function returns its sums, two decimal
; digits a round.
;
; CONVCHECK: --threads 2 --arg %x=1,10
; CONVCHECK: --path "A B B C D" --path "A B C B C D"
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
; RUN: convcheck enumerate %s | FileCheck %s --check-prefix=EVERY
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B - B C D{{$}}
; CHECK-NEXT: {{^}}Thread 1: A B C B C D{{$}}
; CHECK:      {{^}}%sum.b (@subgroupAdd):{{$}}
; CHECK-NEXT: threads 0, 1 #1: 11{{$}}
; CHECK-NEXT: threads 0, 1 #2: 11{{$}}
; CHECK:      {{^}}Threads 0, 1 returned 1111{{$}}
; EVERY: {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}

define i32 @natural(i32 %x, i1 %again, i1 %back) convergent {
A:
  %outer = call token @llvm.experimental.convergence.entry()
  br label %B

B:
  %sums = phi i32 [ 0, %A ], [ %sums.next, %B ], [ %sums.next, %C ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %sum.b = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %heart) ]
  %shifted = mul i32 %sums, 100
  %sums.next = add i32 %shifted, %sum.b
  br i1 %again, label %B, label %C

C:
  br i1 %back, label %B, label %D

D:
  ret i32 %sums.next
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
