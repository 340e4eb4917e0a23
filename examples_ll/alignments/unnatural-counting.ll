; Convergent Operation Semantics, "Rationales for Static rules about cycles", below an entry: a heart
; in C counts only the rounds that come through C, so that op.1 is converged in thread 0's first round
; and thread 1's second. Between these, in E, op.2 is thread 0's after op.1 and thread 1's before it:
; whatever the anchor says, they cannot be converged, for no columns would fit (D-ORDER).
;
; Today's rules forbid the program, because the heart in C does not dominate its loop.
;
; CONVCHECK: --threads 2 --arg %x=1,10 --arg %first=0,1
;
; RUN: not convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck enumerate --no-verify %s | FileCheck %s
;
; VERIFY: error[S-HEART-DOM]
; CHECK:      {{^}}Alignment 1:{{$}}
; CHECK:      {{^}}%op.1 (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 11{{$}}
; CHECK-NEXT: {{^}}%op.2 (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  thread 0 #1: 1{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 10{{$}}
; CHECK:      {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}

define i32 @example(i32 %x, i32 %first) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br label %B

B:
  %i = phi i32 [ 0, %A ], [ %i.next, %F ]
  %here = icmp eq i32 %i, %first
  br i1 %here, label %C, label %D

C:
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry) ]
  %op.1 = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %heart) ]
  br label %D

D:
  br i1 %here, label %F, label %E

E:
  %free = call token @llvm.experimental.convergence.anchor()
  %op.2 = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %free) ]
  br label %F

F:
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 2
  br i1 %more, label %B, label %G

G:
  ret i32 %i.next
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
