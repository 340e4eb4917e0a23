; Convergent Operation Semantics, "Hoisting and sinking", a shuffle in both arms. Each arm's threads
; exchange among themselves: 0 and 2 in B, 1 and 3 in C.
;
; A shuffle reads one lane. If that lane is in the small group it is in the large one, so the two
; may be hoisted and merged, as in hoist-shuffle-after.ll; a sum may not (reductions-hoisted.ll).
;
; The threads return 30, 40, 10 and 20.
;
; CONVCHECK: --threads 4 --arg %data=10,20,30,40 --arg %id=2,3,0,1 --arg %condition=1,0,1,0
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B - D{{$}}
; CHECK-NEXT: {{^}}Thread 1: A - C D{{$}}
; CHECK-NEXT: {{^}}Thread 2: A B - D{{$}}
; CHECK-NEXT: {{^}}Thread 3: A - C D{{$}}
; CHECK:      {{^}}Thread 0 returned 30{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 40{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 10{{$}}
; CHECK-NEXT: {{^}}Thread 3 returned 20{{$}}

define i32 @example(i32 %data, i32 %id, i1 %condition) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %condition, label %B, label %C

B:
  %shuffled.b = call i32 @subgroupShuffle(i32 %data, i32 %id) [ "convergencectrl"(token %entry) ]
  br label %D

C:
  %shuffled.c = call i32 @subgroupShuffle(i32 %data, i32 %id) [ "convergencectrl"(token %entry) ]
  br label %D

D:
  %shuffled = phi i32 [ %shuffled.b, %B ], [ %shuffled.c, %C ]
  ret i32 %shuffled
}

declare i32 @subgroupShuffle(i32, i32) convergent
declare token @llvm.experimental.convergence.entry()
