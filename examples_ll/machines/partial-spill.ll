; The warning of *Exec masks in LLVM*: "the exec mask has already been reduced by the if-condition at that point, and
; so vector registers end up being spilled only partially". Each of two rounds writes %v; in the second, lane 1 does
; not go to %then. Spilled after the branch has reduced exec, lane 1 keeps in its slot what the first round wrote
; there, and reads that back at %join.
;
; CONVCHECK: --threads 2 --arg %lane=0,1
;
; RUN: convcheck simulate --policy exec-mask %s | FileCheck %s --check-prefix=RIGHT
; RUN: convcheck simulate --policy exec-mask --spill early %s | FileCheck %s --check-prefix=RIGHT
; RUN: not convcheck simulate --policy exec-mask --spill late %s | FileCheck %s
;
; RIGHT: conforms
; RIGHT: Threads 0, 1 returned 20
;
; CHECK: departs: %join, lane 1, first time: ran {1}; D-THREAD forbids it, because %v was spilled while the lane was off: 10, it was 20
; CHECK: Thread 0 returned 20
; CHECK-NEXT: Thread 1 returned 10
; CHECK: 7 scratch_load_dword, 7 scratch_store_dword
; CHECK: note: thread 1 reloads %v at %join: 10, it was 20

define i32 @f(i32 %lane) {
entry:
  %count = alloca i32
  store i32 0, ptr %count
  br label %loop

loop:
  %i = load i32, ptr %count
  %next = add i32 %i, 1
  store i32 %next, ptr %count
  %v = mul i32 %next, 10
  %first = icmp eq i32 %i, 0
  %lowest = icmp eq i32 %lane, 0
  %c = or i1 %first, %lowest
  br i1 %c, label %then, label %join

then:
  call void @something()
  br label %join

join:
  %n = load i32, ptr %count
  %again = icmp ult i32 %n, 2
  br i1 %again, label %loop, label %end

end:
  ret i32 %v
}

declare void @something()
