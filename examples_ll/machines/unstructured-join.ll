; J is a join, but T can go past it to E, so E is the branch's post-dominator: machines that meet at
; post-dominators run J in two groups. The program has no tokens, so that is legal.
;
; CONVCHECK: --threads 4 --arg %n=0,1,2,3
;
; RUN: convcheck simulate --policy ipdom %s | FileCheck %s --check-prefix=IPDOM
; RUN: convcheck simulate --policy exec-mask %s | FileCheck %s --check-prefix=EXEC
;
; IPDOM: machine issues utilisation verdict
; IPDOM-NEXT: ipdom 10 60 % conforms (other)
; IPDOM: %join (@subgroupAdd):
; IPDOM-NEXT: thread 1 #1: 1
; IPDOM-NEXT: threads 2, 3 #1: 2
; IPDOM: Machine operations: 2 pop, 3 push
;
; EXEC: machine issues utilisation verdict
; EXEC-NEXT: exec-mask 8 75 % conforms (natural)
; EXEC: %join (@subgroupAdd):
; EXEC-NEXT: threads 1-3 #1: 3
; EXEC: Machine operations: 1 s_and_saveexec_b64, 1 s_andn2_b64, 2 s_cbranch_execz, 1 s_cbranch_vccz, 1 s_mov_b64, 3 s_or_b64, 1 s_or_saveexec_b64, 2 s_xor_b64

define i32 @f(i32 %n) {
A:
  %c = icmp ult i32 %n, 2
  br i1 %c, label %T, label %F

T:
  %d = icmp eq i32 %n, 0
  br i1 %d, label %E, label %J

F:
  br label %J

J:
  %join = call i32 @subgroupAdd(i32 1)
  br label %E

E:
  ret i32 0
}

declare i32 @subgroupAdd(i32) convergent
