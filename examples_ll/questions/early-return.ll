; A function that some threads leave early, and behind the call a sum. No tokens.
;
; CONVCHECK: --function @caller --threads 2 --arg %early=1,0
;
; RUN: convcheck run -q %s | FileCheck %s
; CHECK: Thread 0: entry
define void @helper(i1 %early) convergent {
start:
  br i1 %early, label %out, label %rest
rest:
  br label %out
out:
  ret void
}
define i32 @caller(i1 %early) convergent {
entry:
  call void @helper(i1 %early)
  %sum = call i32 @subgroupAdd(i32 1)
  ret i32 %sum
}
declare i32 @subgroupAdd(i32) convergent
