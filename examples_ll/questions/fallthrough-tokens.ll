; The same switch with a token: the entry's, for both sums.
;
; CONVCHECK: --threads 4 --arg %selector=0,0,1,2
;
; RUN: convcheck enumerate %s | FileCheck %s
; CHECK: Alignments: 1 (complete)   Outcomes: 1
define i32 @main(i32 %selector) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  switch i32 %selector, label %default [ i32 0, label %zero ]
zero:
  %ones = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %all) ]
  br label %default
default:
  %before = phi i32 [ 0, %entry ], [ %ones, %zero ]
  %tens = call i32 @subgroupAdd(i32 10) [ "convergencectrl"(token %all) ]
  %sum = add i32 %before, %tens
  ret i32 %sum
}
declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent
