; A lane ends inside an arm. A saved mask that says who is parked does not hold it, so it stays off behind the
; join; the older form saves all of exec and wakes it: lane 0, which returned in %R, runs %U and %J.
;
; CONVCHECK: --threads 3 --arg %n=0,1,5
;
; RUN: convcheck simulate --policy exec-mask --listing --show-structured %s | FileCheck %s
; RUN: not convcheck simulate --policy exec-mask --exec-form not-and --listing %s | FileCheck %s --check-prefix=OLDER
;
; CHECK: conforms
; CHECK: threads 1, 2 #1: 2
; CHECK: Thread 0 returned -1
; CHECK: Structured CFG of @f:
; CHECK-NEXT: block %A
; CHECK-NEXT: if %A goes to %T
; CHECK-NEXT: block %T
; CHECK-NEXT: if %T goes to %R
; CHECK-NEXT: block %R
; CHECK-NEXT: end if
; CHECK-NEXT: block %U
; CHECK-NEXT: end if
; CHECK-NEXT: block %J
; CHECK: s_and_saveexec_b64 s[0:1], vcc 011
; CHECK: s_and_saveexec_b64 s[2:3], vcc 001
; CHECK-NEXT: s_xor_b64 s[2:3], exec, s[2:3] 001 // parked for %U
; CHECK: s_mov_b64 exec, 0 000 // these lanes have ended
; CHECK: s_or_b64 exec, exec, s[2:3] 010
; CHECK: s_or_b64 exec, exec, s[0:1] 110
;
; OLDER: departs: %U, lane 0, first time: ran {0,1}; D-THREAD allows only {1}, because thread 0 had ended: a saved mask woke its lane
; OLDER: threads 0-2 #1: 3
; OLDER: s_mov_b64 exec, s[2:3] 011 // restore exec
; OLDER: s_mov_b64 exec, s[0:1] 111 // restore exec

define i32 @f(i32 %n) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  %small = icmp ult i32 %n, 2
  br i1 %small, label %T, label %J
T:
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %R, label %U
R:
  ret i32 -1
U:
  br label %J
J:
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  ret i32 %sum
}
declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
