; After compiler_lower_return0 of *Unstructured Branches*: some lanes return at once. "We first create
; one return block at the end of the program": their block number becomes that of the return block, and the
; others go on without them.
;
; CONVCHECK: --threads 8 --arg %id=0,1,2,3,4,5,6,7
;
; RUN: convcheck simulate --policy block-ip %s | FileCheck %s
; RUN: convcheck simulate --policy gen-structured %s | FileCheck %s --check-prefix=STRUCTURED
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: block-ip 8 73 % conforms
; CHECK: Memory:
; CHECK-NEXT: @dst = [3, -1, 4, -1, 5, 0, 0, 0]
; CHECK: Machine operations: 5 cmp.blockip, 1 eot, 2 jmpi.allh not taken, 1 jmpi.join not taken, 2 mov.blockip
;
; STRUCTURED: gen-structured 8 73 % conforms
; STRUCTURED: Memory:
; STRUCTURED-NEXT: @dst = [3, -1, 4, -1, 5, 0, 0, 0]
; STRUCTURED: Machine operations: 1 else, 1 if

@src = global [8 x i32] [i32 3, i32 -1, i32 4, i32 -1, i32 5, i32 -9, i32 2, i32 6]
@dst = global [8 x i32] zeroinitializer

define void @compiler_lower_return0(i32 %id) {
entry:
  %to = getelementptr [8 x i32], ptr @dst, i32 0, i32 %id
  %late = icmp ugt i32 %id, 4
  br i1 %late, label %early, label %work

early:
  ret void

work:
  %from = getelementptr [8 x i32], ptr @src, i32 0, i32 %id
  %x = load i32, ptr %from
  store i32 %x, ptr %to
  ret void
}
