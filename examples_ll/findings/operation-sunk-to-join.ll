; Both arms of a divergent branch end in the same convergent call. gvn-sink makes one of the two, at the join:
; threads that were apart are together. It does not ask whether a call is convergent.
;
; Pass: gvn-sink
; Verdict: wrong
; RUN: not convcheck refine %s %S/operation-sunk-to-join.after.ll --function @main --max-launches 40 | FileCheck %s
;
; CHECK: {{^}}wrong: @main
; CHECK: First difference: @note

define i32 @main(i32 %x) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  %some = icmp eq i32 %x, 0
  br i1 %some, label %then, label %else
then:
  call void @note(i32 %x) [ "convergencectrl"(token %all) ]
  br label %join
else:
  call void @note(i32 %x) [ "convergencectrl"(token %all) ]
  br label %join
join:
  ret i32 %x
}

declare void @note(i32) convergent
declare token @llvm.experimental.convergence.entry()
