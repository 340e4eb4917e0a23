; Convergent Operation Semantics, "Unstructured control flow", after jump threading. The block Mid
; of jump-threading-before.ll is gone, and thread 0 comes to C from B, threads 2 and 3 from A. A
; machine that joins threads at immediate post-dominators, here End, would let them pass C
; separately; the token says that all three meet there, as before.
;
; The threads return 3, 0, 3 and 3.
;
; CONVCHECK: --threads 4 --arg %cond1=1,1,0,0 --arg %cond2=1,0,0,0
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B C End{{$}}
; CHECK-NEXT: {{^}}Thread 1: A B - End{{$}}
; CHECK-NEXT: {{^}}Thread 2: A - C End{{$}}
; CHECK-NEXT: {{^}}Thread 3: A - C End{{$}}
; CHECK:      {{^}}Thread 0 returned 3{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 0{{$}}
; CHECK-NEXT: {{^}}Threads 2, 3 returned 3{{$}}

define i32 @jump_threading(i1 %cond1, i1 %cond2) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %cond1, label %B, label %C

B:
  br i1 %cond2, label %C, label %End

C:
  %met.c = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %entry) ]
  br label %End

End:
  %met = phi i32 [ 0, %B ], [ %met.c, %C ]
  ret i32 %met
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
