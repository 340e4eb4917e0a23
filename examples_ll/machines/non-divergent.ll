; The claim of *Non-divergent branches*: `!llvm.branch` metadata claims that a branch does not diverge within a wave.
; The first claim is proved, as its condition is made of an argument that has one value for all; the second holds in
; this run, but is not proved; the third is broken. The first two have the proposal's own form, the last one the flat
; form.
;
; CONVCHECK: --threads 4 --subgroup-size 2 --arg %a=7 --arg %tid=0,1,2,3
;
; RUN: convcheck simulate --policy ipdom %s | FileCheck %s
;
; CHECK: ipdom: the branch of %entry in @f is claimed not to diverge: proved
; CHECK-NEXT: ipdom: the branch of %then in @f is claimed not to diverge: not proved; lanes that took it together went one way
; CHECK-NEXT: ipdom: the branch of %low in @f is claimed not to diverge: broken in wave 0, slot 5: lane 0 with 0 to %high, lane 1 with 1 to %end

define i32 @f(i32 %a, i32 %tid) {
entry:
  %cond = icmp sgt i32 %a, 0
  br i1 %cond, label %then, label %end, !llvm.branch !0

then:
  %same = icmp ult i32 %tid, 2
  br i1 %same, label %low, label %high, !llvm.branch !0

low:
  %one = icmp eq i32 %tid, 1
  br i1 %one, label %end, label %high, !llvm.branch !2

high:
  br label %end

end:
  %r = phi i32 [ 0, %entry ], [ 1, %low ], [ 2, %high ]
  ret i32 %r
}

!0 = !{!0, !1}
!1 = !{!"llvm.branch.non_divergent"}
!2 = !{!"llvm.branch.non_divergent"}
