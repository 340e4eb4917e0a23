; Convergent Operation Semantics, "llvm.experimental.convergence.entry", before inlining. The
; callee's entry hands on the convergence of the call: its token stands for the group that called
; together, one for each round of the loop, because the call uses the heart's token.
;
; Three threads make 2, 2 and 3 rounds; the sum counts them: 3, 3, and then thread 2 alone.
;
; The threads return 33, 33 and 331.
;
; CONVCHECK: --function @caller --threads 3 --arg %n=2,2,3
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A L L - D{{$}}
; CHECK-NEXT: {{^}}Thread 1: A L L - D{{$}}
; CHECK-NEXT: {{^}}Thread 2: A L L L D{{$}}
; CHECK:      {{^}}Threads 0, 1 returned 33{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 331{{$}}

define i32 @caller(i32 %n) {
A:
  %outer = call token @llvm.experimental.convergence.anchor()
  br label %L

L:
  %i = phi i32 [ 0, %A ], [ %i.next, %L ]
  %log = phi i32 [ 0, %A ], [ %log.next, %L ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %sum = call i32 @callee(i32 1) [ "convergencectrl"(token %inner) ]
  %shifted = mul i32 %log, 10
  %log.next = add i32 %shifted, %sum
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %L, label %D

D:
  ret i32 %log.next
}

define i32 @callee(i32 %x) convergent {
C:
  %entry = call token @llvm.experimental.convergence.entry()
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %entry) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
