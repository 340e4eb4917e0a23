; RUN: convcheck run %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Thread 0: start one - out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start one - out{{$}}
; CHECK-NEXT: {{^}}Thread 2: start - other out{{$}}
; CHECK-NEXT: {{^}}Thread 3: start - other out{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%a (@total) in @launched:{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1{{$}}
; CHECK-NEXT: {{^}}%b (@total) in @launched:{{$}}
; CHECK-NEXT: {{^}}  threads 2, 3 #1{{$}}
; CHECK-NEXT: {{^}}%whole (@total) in @launched:{{$}}
; CHECK-NEXT: {{^}}  threads 0-3 #1{{$}}
; CHECK-NEXT: {{^}}%sum (@subgroupAdd) in @total:{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 3{{$}}
; CHECK-NEXT: {{^}}  threads 2, 3 #1: 7{{$}}
; CHECK-NEXT: {{^}}  threads 0-3 #2: 20{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Threads 0-3 returned 20{{$}}

; The environment launched all four threads together, so all are together at the launched function's entry. The
; callee's entry takes over each call: threads 0 and 1 called from one place, 2 and 3 from another, and
; what they do inside is done in these two groups. Then all four call once more.
;
; CONVCHECK: --threads 4 --arg %x=1,2,3,4 --arg %left=1,1,0,0

define i32 @launched(i32 %x, i1 %left) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br i1 %left, label %one, label %other
one:
  %a = call i32 @total(i32 %x) [ "convergencectrl"(token %all) ]
  br label %out
other:
  %b = call i32 @total(i32 %x) [ "convergencectrl"(token %all) ]
  br label %out
out:
  %half = phi i32 [ %a, %one ], [ %b, %other ]
  %whole = call i32 @total(i32 %half) [ "convergencectrl"(token %all) ]
  ret i32 %whole
}

define internal i32 @total(i32 %x) convergent {
start:
  %callers = call token @llvm.experimental.convergence.entry()
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %callers) ]
  ret i32 %sum
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
