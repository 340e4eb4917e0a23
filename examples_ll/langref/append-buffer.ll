; Convergent Operation Semantics, "Opportunistic convergent operations": room in an append buffer,
; with one atomic operation per group instead of one per thread. The ballot and the broadcast must
; see the same group, whichever it is; that is all that the anchor says. The function is not
; convergent: its callers may move calls.
;
; Whatever the groups, the threads get different offsets and the buffer has room for all. In the
; largest group, which `run` shows, the first thread reserves three records for all three.
;
; The threads return 0, 1 and 2.
;
; CONVCHECK: --threads 3 --arg %lane=0,1,2
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
; RUN: convcheck enumerate %s | FileCheck %s --check-prefix=EVERY
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B C{{$}}
; CHECK-NEXT: {{^}}Thread 1: A - C{{$}}
; CHECK-NEXT: {{^}}Thread 2: A - C{{$}}
; CHECK:      {{^}}Thread 0 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 1{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 2{{$}}
; CHECK:      @allocated = 3{{$}}
; EVERY: {{^}}Alignments: 5 (complete)   Outcomes: 6{{$}}

@allocated = global i32 0

define i32 @reserve(i32 %lane) {
A:
  %anchor = call token @llvm.experimental.convergence.anchor()
  %ballot = call i64 @subgroupBallot(i1 true) [ "convergencectrl"(token %anchor) ]
  %members.wide = call i64 @llvm.ctpop.i64(i64 %ballot)
  %members = trunc i64 %members.wide to i32
  %lane.wide = zext i32 %lane to i64
  %bit = shl i64 1, %lane.wide
  %below = sub i64 %bit, 1
  %ballot.below = and i64 %ballot, %below
  %place.wide = call i64 @llvm.ctpop.i64(i64 %ballot.below)
  %place = trunc i64 %place.wide to i32
  %is.first = icmp eq i32 %place, 0
  br i1 %is.first, label %B, label %C

B:
  %reserved = atomicrmw add ptr @allocated, i32 %members monotonic
  br label %C

C:
  %mine = phi i32 [ poison, %A ], [ %reserved, %B ]
  %base = call i32 @subgroupBroadcastFirst(i32 %mine) [ "convergencectrl"(token %anchor) ]
  %offset = add i32 %base, %place
  ret i32 %offset
}

declare i64 @subgroupBallot(i1) convergent
declare i32 @subgroupBroadcastFirst(i32) convergent
declare token @llvm.experimental.convergence.anchor()
declare i64 @llvm.ctpop.i64(i64)
