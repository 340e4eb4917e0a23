; A block with two successors that are both entries of an irreducible cycle, itself one of them: the guard keeps
; %i as it was when the block goes back to itself, and the count that it went up to is lost. No thread ever leaves.
;
; Pass: fix-irreducible
; Verdict: wrong
; RUN: not convcheck refine %s %S/self-loop-phi-lost.after.ll --function @main --max-launches 40 | FileCheck %s
;
; CHECK: {{^}}wrong: @main
; CHECK: Difference: only the target may run without an end

define i32 @main(i1 %into.second, i32 %n) {
start:
  br i1 %into.second, label %second, label %first
first:
  %i = phi i32 [ 0, %start ], [ %next, %first ], [ %j, %second ]
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 3
  br i1 %again, label %first, label %second
second:
  %j = phi i32 [ 7, %start ], [ %next, %first ]
  %back = icmp ult i32 %j, %n
  br i1 %back, label %first, label %end
end:
  ret i32 %j
}
