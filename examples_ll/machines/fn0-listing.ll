; The kernel of *Branch Divergence* as machine code, line by line as it is there for Southern Islands (in its older
; form with not and and; in the form of *Exec masks in LLVM* with saveexec) and for Nyuzi, where two of the four
; arithmetic operations take a mask. Masks have lane 0 last; lanes 0 and 2 take the if.
;
; CONVCHECK: --threads 4 --arg %a=2,0,2,0 --arg %b=1
;
; RUN: convcheck simulate --policy exec-mask --listing %s | FileCheck %s --check-prefix=EXEC
; RUN: convcheck simulate --policy exec-mask --exec-form not-and --listing %s | FileCheck %s --check-prefix=NOTAND
; RUN: convcheck simulate --policy mask-stack --listing %s | FileCheck %s --check-prefix=STACK
; RUN: convcheck simulate --policy predication --listing %s | FileCheck %s --check-prefix=NYUZI
; RUN: convcheck simulate --policy exec-mask --arg=%a=2 --branch-if-none never --listing %s | FileCheck %s --check-prefix=NEVER
;
; Without branch-if-none the else is issued for nobody:
; NEVER: exec-mask 9 67 % conforms
; NEVER-NOT: s_cbranch
; NEVER: v_mul_f32 %n, %b, %b 0000
;
; EXEC: Listing of @fn0: exec
; EXEC-NEXT: v_cmp_gt_f32 vcc, %a, %b 1111
; EXEC-NEXT: s_and_saveexec_b64 s[0:1], vcc 0101
; EXEC-NEXT: s_xor_b64 s[0:1], exec, s[0:1] 0101 // parked for %else
; EXEC-NEXT: s_cbranch_vccz label0 0101
; EXEC-NEXT: v_mul_f32 %m, %a, %a 0101
; EXEC-NEXT: v_sub_f32 %r, %m, %b 0101
; EXEC-NEXT: label0:
; EXEC-NEXT: s_or_saveexec_b64 s[0:1], s[0:1] 1111 // parked for %join
; EXEC-NEXT: s_xor_b64 exec, exec, s[0:1] 1010
; EXEC-NEXT: s_cbranch_execz label1 1010
; EXEC-NEXT: v_mul_f32 %n, %b, %b 1010
; EXEC-NEXT: v_sub_f32 %r, %n, %a 1010
; EXEC-NEXT: label1:
; EXEC-NEXT: s_or_b64 exec, exec, s[0:1] 1111
; EXEC-NEXT: s_endpgm 1111
;
; NOTAND: v_cmp_gt_f32 vcc, %a, %b 1111
; NOTAND-NEXT: s_mov_b64 s[0:1], exec 1111
; NOTAND-NEXT: s_and_b64 exec, vcc, exec 0101
; NOTAND-NEXT: s_cbranch_vccz label0 0101
; NOTAND-NEXT: v_mul_f32 %m, %a, %a 0101
; NOTAND-NEXT: v_sub_f32 %r, %m, %b 0101
; NOTAND-NEXT: label0:
; NOTAND-NEXT: s_not_b64 exec, exec 1010
; NOTAND-NEXT: s_and_b64 exec, s[0:1], exec 1010
; NOTAND-NEXT: s_cbranch_execz label1 1010
; NOTAND-NEXT: v_mul_f32 %n, %b, %b 1010
; NOTAND-NEXT: v_sub_f32 %r, %n, %a 1010
; NOTAND-NEXT: label1:
; NOTAND-NEXT: s_mov_b64 exec, s[0:1] 1111
;
; STACK: PRED_SETGT %a, %b 1111
; STACK-NEXT: PUSH 0101
; STACK-NEXT: JUMP label0 0101
; STACK-NEXT: MUL %m, %a, %a 0101
; STACK-NEXT: SUB %r, %m, %b 0101
; STACK-NEXT: label0:
; STACK-NEXT: PUSH_ELSE 1010
; STACK-NEXT: JUMP label1 1010
; STACK-NEXT: MUL %n, %b, %b 1010
; STACK-NEXT: SUB %r, %n, %a 1010
; STACK-NEXT: label1:
; STACK-NEXT: POP 1111
;
; NYUZI: cmpgt_f s1, %a, %b 1111
; NYUZI-NEXT: and s2, s1, s0 0101
; NYUZI-NEXT: mul_f %m, %a, %a 0101
; NYUZI-NEXT: sub_f_mask %r, s2, %m, %b 0101
; NYUZI-NEXT: xor s1, s1, -1 0101
; NYUZI-NEXT: and s1, s1, s0 1010
; NYUZI-NEXT: mul_f %n, %b, %b 1010
; NYUZI-NEXT: sub_f_mask %r, s1, %n, %a 1010
; NYUZI-NEXT: ret 1111

define float @fn0(float %a, float %b) {
entry:
  %c = fcmp ogt float %a, %b
  br i1 %c, label %then, label %else

then:
  %m = fmul float %a, %a
  %r0 = fsub float %m, %b
  br label %join

else:
  %n = fmul float %b, %b
  %r1 = fsub float %n, %a
  br label %join

join:
  %r = phi float [ %r0, %then ], [ %r1, %else ]
  ret float %r
}
