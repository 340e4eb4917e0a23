; A function without tokens whose recursion is its last step becomes a loop: threads that reach its end at different
; depths, and so in different activations, now reach it in one, together. Wrong under every model of LLVM's documents.
;
; Pass: tailcallelim
; Verdict: wrong
; RUN: not convcheck refine %s --function @main --max-launches 40 --passes tailcallelim | FileCheck %s
; RUN: not convcheck refine %s --function @main --max-launches 40 --passes 'default<O1>' | FileCheck %s
;
; CHECK: {{^}}wrong: @main
; CHECK: inferred  wrong
; CHECK: ipdom     wrong
; CHECK: maximal   wrong
; CHECK: First difference: %sum

define i32 @main(i32 %x) convergent {
entry:
  %fuel = and i32 %x, 1
  %r = call i32 @helper(i32 %fuel)
  ret i32 %r
}

define i32 @helper(i32 %fuel) convergent {
entry:
  %last = icmp eq i32 %fuel, 0
  br i1 %last, label %stop, label %go
stop:
  %sum = call i32 @subgroupAdd(i32 1)
  ret i32 %sum
go:
  %left = sub i32 %fuel, 1
  %r = call i32 @helper(i32 %left)
  ret i32 %r
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
