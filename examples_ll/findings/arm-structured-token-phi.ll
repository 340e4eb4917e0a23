; Two ways lead to one block; made structured, the token that the other arm's operation needs goes through a phi
; with poison.
;
; Pass: structurizecfg
; Verdict: invalid-output S-DOM
; RUN: not convcheck refine %s %S/arm-structured-token-phi.after.ll --function @main --max-launches 40 | FileCheck %s
;
; CHECK: {{^}}invalid-output: @main
; CHECK: Behaviour: equal
; CHECK: error[S-PRODUCER]
; CHECK: error[S-DOM]

define i32 @main(i32 %x, i32 %y) {
entry:
  %near = icmp ult i32 %x, 2
  br i1 %near, label %meet, label %far
meet:
  %group = call token @llvm.experimental.convergence.anchor()
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %group) ]
  %few = icmp ult i32 %sum, %y
  br i1 %few, label %again, label %far
again:
  %more = call i32 @subgroupAdd(i32 10) [ "convergencectrl"(token %group) ]
  br label %out
far:
  br label %out
out:
  %r = phi i32 [ %more, %again ], [ 0, %far ]
  ret i32 %r
}
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
