; RUN: convcheck run %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Thread 0: start inner inner latch inner - latch out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start inner - latch inner inner latch out{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 11{{$}}
; CHECK-NEXT: {{^}}  thread 0 #2: 1{{$}}
; CHECK-NEXT: {{^}}  thread 0 #3, thread 1 #2: 11{{$}}
; CHECK-NEXT: {{^}}  thread 1 #3: 10{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0 returned 11{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 10{{$}}

; A heart below a heart. The inner one counts within each token of the outer one, so each round of the outer loop
; begins its count anew: thread 0's third inner round is the first one of its second outer round, and
; is together with thread 1's second inner round, which is that, too.
;
; CONVCHECK: --threads 2 --arg %x=1,10
; CONVCHECK: --path "start outer inner inner latch outer inner latch out"
; CONVCHECK: --path "start outer inner latch outer inner inner latch out"

define i32 @nest(i32 %x, i1 %more, i1 %again) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %outer
outer:
  %round = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  br label %inner
inner:
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %round) ]
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %turn) ]
  br i1 %more, label %inner, label %latch
latch:
  br i1 %again, label %outer, label %out
out:
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
