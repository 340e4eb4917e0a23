; A subgroup addition behind a divergent branch is done in front of it: simplifycfg takes `speculatable` for
; leave enough, but a convergent operation may not gain threads. LLVM's own output is valid IR.
;
; Pass: simplifycfg
; Verdict: wrong
; RUN: not convcheck refine %s --function @main --max-launches 40 --passes simplifycfg | FileCheck %s
;
; CHECK: {{^}}wrong: @main
; CHECK: First difference: %sum

define i32 @main(i32 %x) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  %some = icmp eq i32 %x, 0
  br i1 %some, label %then, label %join
then:
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %all) ]
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %sum, %then ]
  ret i32 %r
}

declare i32 @subgroupAdd(i32) convergent speculatable nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
