; A switch whose first case falls through to the default one; both sum over the lanes that are there. No tokens.
;
; CONVCHECK: --threads 4 --arg %selector=0,0,1,2
;
; RUN: convcheck run %s | FileCheck %s
; CHECK: Threads 0, 1 returned 42
; CHECK: Threads 2, 3 returned 40
define i32 @main(i32 %selector) convergent {
entry:
  switch i32 %selector, label %default [ i32 0, label %zero ]
zero:
  %ones = call i32 @subgroupAdd(i32 1)
  br label %default
default:
  %before = phi i32 [ 0, %entry ], [ %ones, %zero ]
  %tens = call i32 @subgroupAdd(i32 10)
  %sum = add i32 %before, %tens
  ret i32 %sum
}
declare i32 @subgroupAdd(i32) convergent
