; Each turn of a loop the first lane that is still there leaves it; who is first behind the loop? No tokens.
;
; CONVCHECK: --threads 4
;
; RUN: convcheck run %s | FileCheck %s
; CHECK: Thread 0 returned 255
define i32 @main() convergent {
entry:
  br label %turn
turn:
  %leave = call i1 @subgroupElect()
  br i1 %leave, label %behind, label %turn
behind:
  %first = call i1 @subgroupElect()
  %value = select i1 %first, i32 255, i32 240
  ret i32 %value
}
declare i1 @subgroupElect() convergent
