; Convergent Operation Semantics, "Unstructured control flow", before jump threading. Who meets at
; the operation in C? Here it counts the threads: 0, 2 and 3 come to it, by two ways that join in
; Mid.
;
; The token is that of entry, so all threads that entered together and come here meet here.
; jump-threading-after.ll has the same answer.
;
; The threads return 3, 0, 3 and 3.
;
; CONVCHECK: --threads 4 --arg %cond1=1,1,0,0 --arg %cond2=1,0,0,0
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B Mid C End{{$}}
; CHECK-NEXT: {{^}}Thread 1: A B Mid - End{{$}}
; CHECK-NEXT: {{^}}Thread 2: A - Mid C End{{$}}
; CHECK-NEXT: {{^}}Thread 3: A - Mid C End{{$}}
; CHECK:      {{^}}Thread 0 returned 3{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 0{{$}}
; CHECK-NEXT: {{^}}Threads 2, 3 returned 3{{$}}

define i32 @jump_threading(i1 %cond1, i1 %cond2) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %cond1, label %B, label %Mid

B:
  br label %Mid

Mid:
  %flag = phi i1 [ true, %A ], [ %cond2, %B ]
  br i1 %flag, label %C, label %End

C:
  %met.c = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %entry) ]
  br label %End

End:
  %met = phi i32 [ 0, %Mid ], [ %met.c, %C ]
  ret i32 %met
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
