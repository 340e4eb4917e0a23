; A loop whose back edge goes nowhere is folded, and its heart ends up behind the anchor in one block. LLVM
; keeps a heart out of a block with `entry`; with `anchor` it does not.
;
; Pass: simplifycfg
; Verdict: invalid-output S-LOOP-FIRST
; RUN: not convcheck refine %s --function @main --max-launches 40 --passes simplifycfg | FileCheck %s
;
; CHECK: {{^}}invalid-output: @main
; CHECK: error[S-LOOP-FIRST]

define void @main() {
entry:
  %some = call token @llvm.experimental.convergence.anchor()
  br label %head
head:
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %some) ]
  call void @barrier() [ "convergencectrl"(token %heart) ]
  br i1 false, label %head, label %out
out:
  ret void
}

declare void @barrier() convergent
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
