; natural.ll below an anchor instead of entry: there is no caller whose threads must stay together.
;
; The anchor may group its threads in any way, so there are two alignments: this one, which `run`
; shows because it explores the largest groups first, and the one in which each thread is alone.
; What the anchor grouped stays grouped: the heart and the sum follow their tokens.
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
; EVERY:      {{^}}Alignment 1:{{$}}
; EVERY-NEXT: {{^}}Thread 0: A B - B C D{{$}}
; EVERY-NEXT: {{^}}Thread 1: A B C B C D{{$}}
; EVERY:      {{^}}Alignment 2:{{$}}
; EVERY-NEXT: {{^}}Thread 0: A B B C - - - - - D{{$}}
; EVERY-NEXT: {{^}}Thread 1: - - - - A B C B C D{{$}}
; EVERY:      {{^}}Alignments: 2 (complete)   Outcomes: 2{{$}}

define i32 @natural_anchor(i32 %x, i1 %again, i1 %back) {
A:
  %outer = call token @llvm.experimental.convergence.anchor()
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
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
