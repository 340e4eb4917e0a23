; Convergent Operation Semantics, "Reductions inside divergent control flow" and "Hoisting and
; sinking", after a hoisting that the tokens forbid: the branch is divergent. The one sum now adds
; up all deltas, 5 - 3 + 2 - 1, where reductions.ll has 7 and -4.
;
; All threads return 3.
;
; CONVCHECK: --threads 4 --arg %delta=5,-3,2,-1
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A Gain - End{{$}}
; CHECK-NEXT: {{^}}Thread 1: A - Loss End{{$}}
; CHECK-NEXT: {{^}}Thread 2: A Gain - End{{$}}
; CHECK-NEXT: {{^}}Thread 3: A - Loss End{{$}}
; CHECK:      {{^}}Threads 0-3 returned 3{{$}}

define i32 @reductions(i32 %delta) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %cc = icmp sgt i32 %delta, 0
  %both = call i32 @subgroupAdd(i32 %delta) [ "convergencectrl"(token %entry) ]
  br i1 %cc, label %Gain, label %Loss

Gain:
  br label %End

Loss:
  br label %End

End:
  %total = phi i32 [ %both, %Gain ], [ %both, %Loss ]
  ret i32 %total
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
