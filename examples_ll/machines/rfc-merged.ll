; The RFC's loop without tokens: exec-mask groups it as nested loops, or, with its latches merged,
; as one natural loop.
;
; CONVCHECK: --path "A B B C D" --path "A B C B C D" --arg %x=1,10
;
; RUN: convcheck simulate --policy exec-mask %s | FileCheck %s --check-prefix=SEPARATE
; RUN: convcheck simulate --policy exec-mask --latches merged %s | FileCheck %s --check-prefix=MERGED
; RUN: convcheck simulate --policy block-ip %s | FileCheck %s --check-prefix=GEN
;
; SEPARATE: machine issues utilisation verdict
; SEPARATE-NEXT: exec-mask 10 75 % conforms (nested)
; SEPARATE: %sum.b (@subgroupAdd):
; SEPARATE-NEXT: threads 0, 1 #1: 11
; SEPARATE-NEXT: thread 0 #2: 1
; SEPARATE-NEXT: thread 1 #2: 10
; SEPARATE: Machine operations: 5 s_and_b64, 5 s_andn2_b64, 5 s_cbranch_execnz, 3 s_mov_b64, 8 s_or_b64, 5 s_xor_b64
;
; MERGED: machine issues utilisation verdict
; MERGED-NEXT: exec-mask 8 94 % conforms (natural)
; MERGED: %sum.b (@subgroupAdd):
; MERGED-NEXT: threads 0, 1 #1: 11
; MERGED-NEXT: threads 0, 1 #2: 11
; MERGED: Machine operations: 4 s_and_b64, 2 s_and_saveexec_b64, 2 s_andn2_b64, 2 s_cbranch_execnz, 2 s_cbranch_vccz, 1 s_mov_b64, 5 s_or_b64, 6 s_xor_b64
;
; GEN: machine issues utilisation verdict
; GEN-NEXT: block-ip 10 75 % conforms (nested)
; GEN: %sum.b (@subgroupAdd):
; GEN-NEXT: threads 0, 1 #1: 11
; GEN-NEXT: thread 0 #2: 1
; GEN-NEXT: thread 1 #2: 10
; GEN: Machine operations: 7 cmp.blockip, 1 eot, 2 jmpi.anyh, 3 jmpi.anyh not taken, 3 jmpi.join not taken, 5 mov.blockip

define i32 @f(i32 %x, i1 %cc1, i1 %cc2) convergent {
A:
  br label %B

B:
  %sum.b = call i32 @subgroupAdd(i32 %x)
  br i1 %cc1, label %B, label %C

C:
  br i1 %cc2, label %B, label %D

D:
  ret i32 %sum.b
}

declare i32 @subgroupAdd(i32) convergent
