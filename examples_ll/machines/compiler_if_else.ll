; After compiler_if_else of *Unstructured Branches*: each lane takes one side of an if, and both
; sides meet behind it. Gen's linearised code jumps over a side that no lane takes; here lanes take both.
;
; CONVCHECK: --threads 8 --arg %id=0,1,2,3,4,5,6,7
;
; RUN: convcheck simulate --policy block-ip %s | FileCheck %s
; RUN: convcheck simulate --policy gen-structured %s | FileCheck %s --check-prefix=STRUCTURED
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: block-ip 11 82 % conforms
; CHECK: Memory:
; CHECK-NEXT: @dst = [103, 1, 104, 1, 105, 9, 102, 106]
; CHECK: Machine operations: 6 cmp.blockip, 1 eot, 2 jmpi.allh not taken, 2 jmpi.join not taken, 2 mov.blockip
;
; STRUCTURED: gen-structured 11 82 % conforms
; STRUCTURED: Memory:
; STRUCTURED-NEXT: @dst = [103, 1, 104, 1, 105, 9, 102, 106]
; STRUCTURED: Machine operations: 1 else, 1 endif, 1 if

@src = global [8 x i32] [i32 3, i32 -1, i32 4, i32 -1, i32 5, i32 -9, i32 2, i32 6]
@dst = global [8 x i32] zeroinitializer

define void @compiler_if_else(i32 %id) {
entry:
  %from = getelementptr [8 x i32], ptr @src, i32 0, i32 %id
  %x = load i32, ptr %from
  %to = getelementptr [8 x i32], ptr @dst, i32 0, i32 %id
  %positive = icmp sge i32 %x, 0
  br i1 %positive, label %then, label %else

then:
  %up = add i32 %x, 100
  br label %endif

else:
  %down = sub i32 0, %x
  br label %endif

endif:
  %r = phi i32 [ %up, %then ], [ %down, %else ]
  store i32 %r, ptr %to
  ret void
}
