; The kernel with tokens, and with the fault that everybody makes first: the token of entry is used inside
; the cycle, where its definition is not.
;
; RUN: not convcheck verify %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}{{.*}}2-no-heart.ll:29:42: error[S-CYCLE-USE]: the call of @subgroupAdd uses %all in a cycle that does not contain its definition{{$}}
; CHECK-NEXT: {{^}} 23 |   %all = call token @llvm.experimental.convergence.entry(){{$}}
; CHECK-NEXT: {{^}}    |   -------------------------------------------------------- %all is defined here{{$}}
; CHECK-NEXT: {{^}}  ...{{$}}
; CHECK-NEXT: {{^}} 27 |   %i = phi i32 [ 0, %start ], [ %i.next, %body ]{{$}}
; CHECK-NEXT: {{^}}    |   ---------------------------------------------- the cycle's header %body{{$}}
; CHECK-NEXT: {{^}}  ...{{$}}
; CHECK-NEXT: {{^}} 29 |   %here = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %all) ]{{$}}
; CHECK-NEXT: {{^}}    |                                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^{{$}}
; CHECK-NEXT: {{^}}    = witness: body -> body (closed path){{$}}
; CHECK-NEXT: {{^}}    = note: LLVM says: "Convergence token used by an instruction other than llvm.experimental.convergence.loop in a cycle that does not contain the token's definition."{{$}}
; CHECK-NEXT: {{^}}    = help: call loop with %all in the cycle's header and use the token of that call{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}1 error in 1 function of 1 file{{$}}

define i32 @kernel(i32 %rounds) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %body

body:
  %i = phi i32 [ 0, %start ], [ %i.next, %body ]
  %total = phi i32 [ 0, %start ], [ %total.next, %body ]
  %here = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %all) ]
  %total.next = add i32 %total, %here
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %rounds
  br i1 %more, label %body, label %end

end:
  ret i32 %total.next
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
