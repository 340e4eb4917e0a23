; A spin lock between the lanes of one wave. Machines that let lanes wait behind the loop until all have
; left it hang: the lane that has the lock waits for those that wait for the lock.
;
; CONVCHECK: --threads 2
;
; RUN: convcheck simulate %s | FileCheck %s
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: ipdom 10 70 % hangs (thread 0 waits at %C; thread 1 goes round at %T)
; CHECK-NEXT: exec-mask 22 59 % hangs (thread 0 waits at %C; thread 1 goes round at %T)
; CHECK-NEXT: mask-stack 10 70 % hangs (thread 0 waits at %C; thread 1 goes round at %T)
; CHECK-NEXT: predication 10 70 % hangs (thread 0 waits at %C; thread 1 goes round at %T)
; CHECK-NEXT: block-ip 10 70 % hangs (thread 0 waits at %C; thread 1 goes round at %T)
; CHECK-NEXT: barrier 10 70 % hangs (thread 0 waits at %C; thread 1 goes round at %T)
; CHECK-NEXT: heart 210 51 % conforms
; CHECK-NEXT: independent 23 50 % conforms

@lock = global i32 0
@count = global i32 0
define void @f() {
A:
  br label %T

T:
  %was = atomicrmw xchg ptr @lock, i32 1 acquire
  %free = icmp eq i32 %was, 0
  br i1 %free, label %C, label %T

C:
  %n = load i32, ptr @count
  %n1 = add i32 %n, 1
  store i32 %n1, ptr @count
  store atomic i32 0, ptr @lock release, align 4
  br label %E

E:
  ret void
}
