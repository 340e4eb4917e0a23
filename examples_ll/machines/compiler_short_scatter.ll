; After compiler_short_scatter of *Unstructured Branches*: each lane stores a short of its own, in
; reverse. There is one block, and so no jump at all.
;
; CONVCHECK: --threads 8 --arg %id=0,1,2,3,4,5,6,7
;
; RUN: convcheck simulate --policy block-ip %s | FileCheck %s
; RUN: convcheck simulate --policy gen-structured %s | FileCheck %s --check-prefix=STRUCTURED
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: block-ip 5 100 % conforms
; CHECK: Memory:
; CHECK-NEXT: @dst = [7, 6, 5, 4, 3, 2, 1, 0]
; CHECK: Machine operations: 1 cmp.blockip, 1 eot
;
; STRUCTURED: gen-structured 5 100 % conforms
; STRUCTURED: Memory:
; STRUCTURED-NEXT: @dst = [7, 6, 5, 4, 3, 2, 1, 0]

@dst = global [8 x i16] zeroinitializer

define void @compiler_short_scatter(i32 %id) {
entry:
  %short = trunc i32 %id to i16
  %at = sub i32 7, %id
  %to = getelementptr [8 x i16], ptr @dst, i32 0, i32 %at
  store i16 %short, ptr %to
  ret void
}
