; The kernel with a heart: the loop intrinsic counts the rounds, so the n-th round of one thread is
; converged with the n-th round of each other.
;
; CONVCHECK: --threads 3 --arg %rounds=1,2,3
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
; RUN: convcheck enumerate %s -q | FileCheck %s --check-prefix=EVERY
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; VERIFY: {{^}}ok: 1 function of 1 file{{$}}
; CHECK: {{^}}Thread 0: start body - - end{{$}}
; CHECK-NEXT: {{^}}Thread 1: start body body - end{{$}}
; CHECK-NEXT: {{^}}Thread 2: start body body body end{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%here (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0-2 #1: 3{{$}}
; CHECK-NEXT: {{^}}  threads 1, 2 #2: 2{{$}}
; CHECK-NEXT: {{^}}  thread 2 #3: 1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0 returned 3{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 5{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 6{{$}}
; EVERY: {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}

define i32 @kernel(i32 %rounds) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %body

body:
  %i = phi i32 [ 0, %start ], [ %i.next, %body ]
  %total = phi i32 [ 0, %start ], [ %total.next, %body ]
  %round = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %here = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %round) ]
  %total.next = add i32 %total, %here
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %rounds
  br i1 %more, label %body, label %end

end:
  ret i32 %total.next
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
