; After compiler_unstructured_branch2 of *Unstructured Branches*: a loop with two exits to different places, one of
; which falls into the other.
;
; CONVCHECK: --threads 8 --arg %id=0,1,2,3,4,5,6,7
;
; RUN: convcheck simulate --policy block-ip %s | FileCheck %s
; RUN: convcheck simulate --policy gen-structured %s | FileCheck %s --check-prefix=STRUCTURED
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: block-ip 27 77 % conforms (natural)
; CHECK: %f (@subgroupAdd):
; CHECK-NEXT: threads 0-3 #1: 4
; CHECK-NEXT: %all (@subgroupAdd):
; CHECK-NEXT: threads 0-7 #1: 16
; CHECK: Memory:
; CHECK-NEXT: @dst = [16, 16, 16, 16, 16, 16, 16, 16]
; CHECK: Machine operations: 16 cmp.blockip, 1 eot, 5 jmpi.allh not taken, 3 jmpi.anyh, 1 jmpi.anyh not taken, 2 jmpi.join not taken, 12 mov.blockip
;
; STRUCTURED: gen-structured 27 77 % conforms (natural)
; STRUCTURED: Memory:
; STRUCTURED-NEXT: @dst = [16, 16, 16, 16, 16, 16, 16, 16]
; STRUCTURED: Machine operations: 4 break, 1 endif, 3 while

@src = global [8 x i32] [i32 3, i32 -1, i32 4, i32 -1, i32 5, i32 -9, i32 2, i32 6]
@dst = global [8 x i32] zeroinitializer

define void @compiler_unstructured_branch2(i32 %id) {
entry:
  %to = getelementptr [8 x i32], ptr @dst, i32 0, i32 %id
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %here = icmp eq i32 %i, %id
  br i1 %here, label %found, label %latch

latch:
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 4
  br i1 %again, label %head, label %missed

found:
  %f = call i32 @subgroupAdd(i32 1)
  br label %missed

missed:
  %r = phi i32 [ 0, %latch ], [ %f, %found ]
  %all = call i32 @subgroupAdd(i32 %r)
  store i32 %all, ptr %to
  ret void
}

declare i32 @subgroupAdd(i32) convergent
