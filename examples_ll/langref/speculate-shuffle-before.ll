; Convergent Operation Semantics, "Hoisting and sinking", a shuffle under a condition. Nobody says
; what %id is where the condition is false: thread 1's names a lane that does not exist.
;
; The threads return 30, 0, 10 and 0.
;
; CONVCHECK: --threads 4 --arg %data=10,20,30,40 --arg %id=2,99,0,1 --arg %condition=1,0,1,0
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B C{{$}}
; CHECK-NEXT: {{^}}Thread 1: A - C{{$}}
; CHECK-NEXT: {{^}}Thread 2: A B C{{$}}
; CHECK-NEXT: {{^}}Thread 3: A - C{{$}}
; CHECK:      {{^}}Thread 0 returned 30{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 10{{$}}
; CHECK-NEXT: {{^}}Thread 3 returned 0{{$}}

define i32 @example(i32 %data, i32 %id, i1 %condition) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %condition, label %B, label %C

B:
  %shuffled = call i32 @subgroupShuffle(i32 %data, i32 %id) [ "convergencectrl"(token %entry) ]
  br label %C

C:
  %result = phi i32 [ 0, %A ], [ %shuffled, %B ]
  ret i32 %result
}

declare i32 @subgroupShuffle(i32, i32) convergent
declare token @llvm.experimental.convergence.entry()
