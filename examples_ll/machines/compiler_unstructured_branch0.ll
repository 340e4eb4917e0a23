; After compiler_unstructured_branch0 of *Unstructured Branches*: a goto out of one arm of an if into
; the middle of the other. Lanes from both meet in %middle, which no structured branch could say.
;
; CONVCHECK: --threads 8 --arg %id=0,1,2,3,4,5,6,7
;
; RUN: convcheck simulate --policy block-ip %s | FileCheck %s
; RUN: convcheck simulate --policy gen-structured %s | FileCheck %s --check-prefix=STRUCTURED
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: block-ip 12 82 % conforms (natural)
; CHECK: %met (@subgroupAdd):
; CHECK-NEXT: threads 1-5, 7 #1: 6
; CHECK: Memory:
; CHECK-NEXT: @dst = [0, 6, 6, 6, 6, 6, 0, 6]
; CHECK: Machine operations: 7 cmp.blockip, 1 eot, 2 jmpi.allh not taken, 3 jmpi.join not taken, 3 mov.blockip
;
; STRUCTURED: gen-structured 12 82 % conforms (natural)
; STRUCTURED: Memory:
; STRUCTURED-NEXT: @dst = [0, 6, 6, 6, 6, 6, 0, 6]
; STRUCTURED: Machine operations: 2 else, 2 endif, 2 if

@src = global [8 x i32] [i32 3, i32 -1, i32 4, i32 -1, i32 5, i32 -9, i32 2, i32 6]
@dst = global [8 x i32] zeroinitializer

define void @compiler_unstructured_branch0(i32 %id) {
entry:
  %from = getelementptr [8 x i32], ptr @src, i32 0, i32 %id
  %x = load i32, ptr %from
  %to = getelementptr [8 x i32], ptr @dst, i32 0, i32 %id
  %positive = icmp sge i32 %x, 0
  br i1 %positive, label %left, label %right

left:
  %big = icmp sgt i32 %x, 3
  br i1 %big, label %middle, label %end

right:
  br label %middle

middle:
  %met = call i32 @subgroupAdd(i32 1)
  store i32 %met, ptr %to
  br label %end

end:
  ret void
}

declare i32 @subgroupAdd(i32) convergent
