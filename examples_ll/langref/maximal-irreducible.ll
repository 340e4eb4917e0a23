; Convergence And Uniformity, "Dependence on Cycles Headers": a cycle with two entries has no
; natural header. A depth-first search that takes successors in text order comes to P first, so P
; counts the rounds.
;
; Thread 1 enters at Q, before any P: its first Q belongs to no round that thread 0 knows. Then they
; meet in P, and in the Q behind it.
;
; The threads return 21 and 12.
;
; CONVCHECK: --threads 2
; CONVCHECK: --path "A P Q P Q D" --path "A Q P Q D"
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A - P Q P Q D{{$}}
; CHECK-NEXT: {{^}}Thread 1: A Q P Q - - D{{$}}
; CHECK:      {{^}}Thread 0 returned 21{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 12{{$}}

define i32 @example(i1 %which, i1 %again) convergent {
A:
  br i1 %which, label %P, label %Q

P:
  %log.p = phi i32 [ 0, %A ], [ %log.next, %Q ]
  br label %Q

Q:
  %log = phi i32 [ 0, %A ], [ %log.p, %P ]
  %met = call i32 @subgroupAdd(i32 1)
  %shifted = mul i32 %log, 10
  %log.next = add i32 %shifted, %met
  br i1 %again, label %P, label %D

D:
  ret i32 %log.next
}

declare i32 @subgroupAdd(i32) convergent
