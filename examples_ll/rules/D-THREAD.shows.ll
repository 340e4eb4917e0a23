; RUN: convcheck run %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Thread 0: start some out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start some out{{$}}
; CHECK-NEXT: {{^}}Thread 2: start - out{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 11{{$}}
; CHECK-NEXT: {{^}}%absent (@subgroupShuffle):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: poison{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Threads 0, 1 returned [11, "poison"]{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned [7, 0]{{$}}

; Threads 0 and 1 take the branch, thread 2 does not. The sum is made of the operands of the two that are
; together, and of nobody else's. The shuffle asks for the value of lane 2, which takes no part: poison. All
; else, the branch too, each thread computes alone.
;
; CONVCHECK: --threads 3 --arg %x=5,6,7 --arg %go=1,1,0

define { i32, i32 } @two_of_three(i32 %x, i1 %go) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br i1 %go, label %some, label %out
some:
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %all) ]
  %absent = call i32 @subgroupShuffle(i32 %x, i32 2) [ "convergencectrl"(token %all) ]
  br label %out
out:
  %first = phi i32 [ %x, %start ], [ %sum, %some ]
  %second = phi i32 [ 0, %start ], [ %absent, %some ]
  %one = insertvalue { i32, i32 } zeroinitializer, i32 %first, 0
  %both = insertvalue { i32, i32 } %one, i32 %second, 1
  ret { i32, i32 } %both
}

declare i32 @subgroupAdd(i32) convergent
declare i32 @subgroupShuffle(i32, i32) convergent
declare token @llvm.experimental.convergence.entry()
