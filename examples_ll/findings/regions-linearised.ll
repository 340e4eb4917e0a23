; Two arms, one under an outer token, one under an inner one, come one after the other: the outer token's use
; stands in the inner one's region.
;
; Pass: structurizecfg
; Verdict: invalid-output S-NEST
; RUN: not convcheck refine %s %S/regions-linearised.after.ll --function @main --max-launches 40 | FileCheck %s
;
; CHECK: {{^}}invalid-output: @main
; CHECK: error[S-NEST]

define i32 @main(i32 %x, i1 %c) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br label %again
again:
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  br i1 %c, label %left, label %right
left:
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %turn) ]
  br label %join
right:
  %b = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %all) ]
  br label %join
join:
  %r = phi i32 [ %a, %left ], [ %b, %right ]
  ret i32 %r
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
