; The sum over a wave of a constant is that constant times the number of lanes that take part; `instcombine` folds it to the
; constant, as it does with the wave's minimum.
;
; Pass: instcombine
; Verdict: wrong
; RUN: convcheck run %s | FileCheck %s
; CONVCHECK: --threads 3
; CHECK: threads 0-2 #1: 21

define i32 @main() convergent {
start:
  %sum = call i32 @llvm.amdgcn.wave.reduce.add.i32(i32 7, i32 0)
  ret i32 %sum
}

declare i32 @llvm.amdgcn.wave.reduce.add.i32(i32, i32 immarg)
