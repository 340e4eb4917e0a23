; Convergent Operation Semantics, "Extended Cycles: Divergent Exit from a Loop", without tokens. C
; lies outside the cycle, and in the maximal converged-with relation all threads that come to it
; meet there, in whichever round they left the loop: all three of them count to 3, where
; divergent-break.ll has 1, 2 and 2.
;
; The threads return 3, 3, 3 and 0.
;
; CONVCHECK: --threads 4 --arg %last=0,1,1,9
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A H B - - - C - - - - - E{{$}}
; CHECK-NEXT: {{^}}Thread 1: A H B D H B C - - - - - E{{$}}
; CHECK-NEXT: {{^}}Thread 2: A H B D H B C - - - - - E{{$}}
; CHECK-NEXT: {{^}}Thread 3: A H B D H B - D H B D H E{{$}}
; CHECK:      {{^}}Threads 0-2 returned 3{{$}}
; CHECK-NEXT: {{^}}Thread 3 returned 0{{$}}

define i32 @divergent_break(i32 %last) convergent {
A:
  br label %H

H:
  %i = phi i32 [ 0, %A ], [ %i.next, %D ]
  %more = icmp ult i32 %i, 3
  br i1 %more, label %B, label %E

B:
  %stop = icmp eq i32 %i, %last
  br i1 %stop, label %C, label %D

C:
  %met.c = call i32 @subgroupAdd(i32 1)
  br label %E

D:
  %i.next = add i32 %i, 1
  br label %H

E:
  %met = phi i32 [ 0, %H ], [ %met.c, %C ]
  ret i32 %met
}

declare i32 @subgroupAdd(i32) convergent
