; After compiler_lower_return2 of *Unstructured Branches*: lanes return out of the middle of a loop, each in its own
; round; the loop goes on while any lane wants ("anyh").
;
; CONVCHECK: --threads 8 --arg %id=0,1,2,3,4,5,6,7
;
; RUN: convcheck simulate --policy block-ip %s | FileCheck %s
; RUN: convcheck simulate --policy gen-structured %s | FileCheck %s --check-prefix=STRUCTURED
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: block-ip 64 51 % conforms
; CHECK: Memory:
; CHECK-NEXT: @dst = [0, 3, 2, 6, 5, 10, -1, -1]
; CHECK: Machine operations: 32 cmp.blockip, 1 eot, 12 jmpi.allh not taken, 5 jmpi.anyh, 1 jmpi.anyh not taken, 7 jmpi.join not taken, 18 mov.blockip
;
; STRUCTURED: gen-structured 54 60 % conforms
; STRUCTURED: Memory:
; STRUCTURED-NEXT: @dst = [0, 3, 2, 6, 5, 10, -1, -1]
; STRUCTURED: Machine operations: 6 break, 5 while

@src = global [8 x i32] [i32 3, i32 -1, i32 4, i32 -1, i32 5, i32 -9, i32 2, i32 6]
@dst = global [8 x i32] zeroinitializer

define void @compiler_lower_return2(i32 %id) {
entry:
  %to = getelementptr [8 x i32], ptr @dst, i32 0, i32 %id
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %more, %latch ]
  %found = icmp eq i32 %i, %id
  br i1 %found, label %out, label %latch

out:
  store i32 %sum, ptr %to
  ret void

latch:
  %from = getelementptr [8 x i32], ptr @src, i32 0, i32 %i
  %x = load i32, ptr %from
  %more = add i32 %sum, %x
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 6
  br i1 %again, label %head, label %done

done:
  store i32 -1, ptr %to
  ret void
}
