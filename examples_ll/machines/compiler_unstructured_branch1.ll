; After compiler_unstructured_branch1 of *Unstructured Branches*: two nested ifs whose inner arms jump
; to the same place and past it. A jump over blocks stops at each JOIN point on its way.
;
; CONVCHECK: --threads 8 --arg %id=0,1,2,3,4,5,6,7
;
; RUN: convcheck simulate --policy block-ip %s | FileCheck %s
; RUN: convcheck simulate --policy gen-structured %s | FileCheck %s --check-prefix=STRUCTURED
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: block-ip 16 62 % conforms (natural)
; CHECK: %n (@subgroupAdd):
; CHECK-NEXT: threads 1, 3, 4, 7 #1: 4
; CHECK-NEXT: %f (@subgroupAdd):
; CHECK-NEXT: thread 5 #1: 10
; CHECK: Memory:
; CHECK-NEXT: @dst = [0, 4, 0, 4, 4, 10, 0, 4]
; CHECK: Machine operations: 10 cmp.blockip, 1 eot, 4 jmpi.allh not taken, 4 jmpi.join not taken, 5 mov.blockip
;
; STRUCTURED: gen-structured 16 62 % conforms (natural)
; STRUCTURED: Memory:
; STRUCTURED-NEXT: @dst = [0, 4, 0, 4, 4, 10, 0, 4]
; STRUCTURED: Machine operations: 3 else, 2 endif, 3 if

@src = global [8 x i32] [i32 3, i32 -1, i32 4, i32 -1, i32 5, i32 -9, i32 2, i32 6]
@dst = global [8 x i32] zeroinitializer

define void @compiler_unstructured_branch1(i32 %id) {
entry:
  %from = getelementptr [8 x i32], ptr @src, i32 0, i32 %id
  %x = load i32, ptr %from
  %to = getelementptr [8 x i32], ptr @dst, i32 0, i32 %id
  %a = icmp slt i32 %x, 0
  br i1 %a, label %negative, label %other

negative:
  %b = icmp slt i32 %x, -5
  br i1 %b, label %far, label %near

other:
  %c = icmp sgt i32 %x, 4
  br i1 %c, label %near, label %end

near:
  %n = call i32 @subgroupAdd(i32 1)
  store i32 %n, ptr %to
  br label %end

far:
  %f = call i32 @subgroupAdd(i32 10)
  store i32 %f, ptr %to
  br label %end

end:
  ret void
}

declare i32 @subgroupAdd(i32) convergent
