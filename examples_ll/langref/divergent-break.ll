; Convergent Operation Semantics, "Extended Cycles: Divergent Exit from a Loop". In the source, C
; stood inside the loop, before a `break`; in the CFG it is an exit. Its operation uses the token of
; the heart in H, so threads meet there only if they left the loop in the same round: thread 0 alone
; in the first, threads 1 and 2 in the second. Thread 3 runs to the loop's end.
;
; The use extends the cycle: C belongs to the heart's convergence region, E does not.
;
; The threads return 1, 2, 2 and 0.
;
; CONVCHECK: --threads 4 --arg %last=0,1,1,9
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A H B C - - - - - - - - - E{{$}}
; CHECK-NEXT: {{^}}Thread 1: A H B - D H B C - - - - - E{{$}}
; CHECK-NEXT: {{^}}Thread 2: A H B - D H B C - - - - - E{{$}}
; CHECK-NEXT: {{^}}Thread 3: A H B - D H B - D H B D H E{{$}}
; CHECK:      {{^}}Thread 0 returned 1{{$}}
; CHECK-NEXT: {{^}}Threads 1, 2 returned 2{{$}}
; CHECK-NEXT: {{^}}Thread 3 returned 0{{$}}

define i32 @divergent_break(i32 %last) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br label %H

H:
  %i = phi i32 [ 0, %A ], [ %i.next, %D ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry) ]
  %more = icmp ult i32 %i, 3
  br i1 %more, label %B, label %E

B:
  %stop = icmp eq i32 %i, %last
  br i1 %stop, label %C, label %D

C:
  %met.c = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %inner) ]
  br label %E

D:
  %i.next = add i32 %i, 1
  br label %H

E:
  %met = phi i32 [ 0, %H ], [ %met.c, %C ]
  ret i32 %met
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
