; Convergent Operation Semantics, "llvm.experimental.convergence.entry", after inlining: entry is
; replaced by the token of the call's bundle, %inner. The groups are those of inlining-before.ll.
;
; The threads return 33, 33 and 331.
;
; CONVCHECK: --threads 3 --arg %n=2,2,3
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
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %inner) ]
  %shifted = mul i32 %log, 10
  %log.next = add i32 %shifted, %sum
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %L, label %D

D:
  ret i32 %log.next
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
