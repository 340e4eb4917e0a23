; The spin lock of spin-lock.ll with the critical section before the loop's block in the text: the lowest block number
; runs next, so block-ip lets the lane that has the lock go on. No other machine minds the order of the text.
;
; CONVCHECK: --threads 2
;
; RUN: convcheck simulate %s | FileCheck %s
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 10 70 % hangs (thread 0 waits at %C; thread 1 goes round at %T)
; CHECK-NEXT: exec-mask {{.*}} hangs (thread 0 waits at %C; thread 1 goes round at %T)
; CHECK-NEXT: mask-stack {{.*}} hangs (thread 0 waits at %C; thread 1 goes round at %T)
; CHECK-NEXT: predication {{.*}} hangs (thread 0 waits at %C; thread 1 goes round at %T)
; CHECK-NEXT: block-ip 18 64 % conforms
; CHECK-NEXT: barrier 10 70 % hangs (thread 0 waits at %C; thread 1 goes round at %T)
; CHECK-NEXT: heart 210 51 % conforms
; CHECK-NEXT: independent 23 50 % conforms

@lock = global i32 0
@count = global i32 0
define void @f() {
A:
  br label %T

C:
  %n = load i32, ptr @count
  %n1 = add i32 %n, 1
  store i32 %n1, ptr @count
  store atomic i32 0, ptr @lock release, align 4
  br label %E

T:
  %was = atomicrmw xchg ptr @lock, i32 1 acquire
  %free = icmp eq i32 %was, 0
  br i1 %free, label %C, label %T

E:
  ret void
}
