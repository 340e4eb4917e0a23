; Convergent Operation Semantics, "Reductions inside divergent control flow". The two sums look
; alike, but each adds up its own side only: the gains 5 + 2 and the losses -3 - 1.
;
; reductions-hoisted.ll shows what a compiler that merged them would compute.
;
; The threads return 7, -4, 7 and -4.
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
; CHECK:      {{^}}Thread 0 returned 7{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned -4{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 7{{$}}
; CHECK-NEXT: {{^}}Thread 3 returned -4{{$}}

define i32 @reductions(i32 %delta) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %cc = icmp sgt i32 %delta, 0
  br i1 %cc, label %Gain, label %Loss

Gain:
  %total.gains = call i32 @subgroupAdd(i32 %delta) [ "convergencectrl"(token %entry) ]
  br label %End

Loss:
  %total.losses = call i32 @subgroupAdd(i32 %delta) [ "convergencectrl"(token %entry) ]
  br label %End

End:
  %total = phi i32 [ %total.gains, %Gain ], [ %total.losses, %Loss ]
  ret i32 %total
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
