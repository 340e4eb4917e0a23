; A vote in a branch that half of the threads take.
;
; CONVCHECK: --threads 4 --arg %there=1,0,1,0
;
; RUN: convcheck run %s | FileCheck %s
; CHECK: threads 0, 2 #1: 2
define i32 @main(i1 %there) convergent {
entry:
  br i1 %there, label %vote, label %out
vote:
  %count = call i32 @subgroupAdd(i32 1)
  br label %out
out:
  %result = phi i32 [ 0, %entry ], [ %count, %vote ]
  ret i32 %result
}
declare i32 @subgroupAdd(i32) convergent
