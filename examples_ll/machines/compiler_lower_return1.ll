; After compiler_lower_return1 of *Unstructured Branches*: a return in either arm of an if and another
; behind it, so that three returns become one.
;
; CONVCHECK: --threads 8 --arg %id=0,1,2,3,4,5,6,7
;
; RUN: convcheck simulate --policy block-ip %s | FileCheck %s
; RUN: convcheck simulate --policy gen-structured %s | FileCheck %s --check-prefix=STRUCTURED
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: block-ip 15 57 % conforms
; CHECK: Memory:
; CHECK-NEXT: @dst = [10, 30, 10, 30, 20, 20, 20, 30]
; CHECK: Machine operations: 11 cmp.blockip, 1 eot, 5 jmpi.allh not taken, 2 jmpi.join not taken, 5 mov.blockip
;
; STRUCTURED: gen-structured 15 57 % conforms
; STRUCTURED: Memory:
; STRUCTURED-NEXT: @dst = [10, 30, 10, 30, 20, 20, 20, 30]
; STRUCTURED: Machine operations: 3 else, 1 endif, 3 if

@src = global [8 x i32] [i32 3, i32 -1, i32 4, i32 -1, i32 5, i32 -9, i32 2, i32 6]
@dst = global [8 x i32] zeroinitializer

define void @compiler_lower_return1(i32 %id) {
entry:
  %to = getelementptr [8 x i32], ptr @dst, i32 0, i32 %id
  store i32 -1, ptr %to
  %low = icmp ult i32 %id, 4
  br i1 %low, label %first, label %second

first:
  %even = and i32 %id, 1
  %stays = icmp eq i32 %even, 0
  br i1 %stays, label %leave, label %on

leave:
  store i32 10, ptr %to
  ret void

second:
  %seven = icmp eq i32 %id, 7
  br i1 %seven, label %on, label %quit

quit:
  store i32 20, ptr %to
  ret void

on:
  store i32 30, ptr %to
  ret void
}
