; Convergence And Uniformity, "Maximal Convergence", the table of a loop H, B, L in which the first
; thread skips B in its second round and the second thread in its first. Both execute B, but never
; in the same round: headers count rounds, so B's instances are not converged, and L's are.
;
; L counts who is there, round after round: both twice, then the second thread alone.
;
; The threads return 22 and 221.
;
; CONVCHECK: --threads 2
; CONVCHECK: --path "Entry H B L H L Exit" --path "Entry H L H B L H B L Exit"
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: Entry H B L H - L - - - Exit{{$}}
; CHECK-NEXT: {{^}}Thread 1: Entry H - L H B L H B L Exit{{$}}
; CHECK:      {{^}}Thread 0 returned 22{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 221{{$}}

define i32 @example(i1 %inside, i1 %again) convergent {
Entry:
  br label %H

H:
  %log = phi i32 [ 0, %Entry ], [ %log.next, %L ]
  br i1 %inside, label %B, label %L

B:
  br label %L

L:
  %met = call i32 @subgroupAdd(i32 1)
  %shifted = mul i32 %log, 10
  %log.next = add i32 %shifted, %met
  br i1 %again, label %H, label %Exit

Exit:
  ret i32 %log.next
}

declare i32 @subgroupAdd(i32) convergent
