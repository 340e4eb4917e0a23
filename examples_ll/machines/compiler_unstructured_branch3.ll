; After compiler_unstructured_branch3 of *Unstructured Branches*: a goto into the middle of a loop, which makes the
; control flow irreducible. Block numbers do not mind; machines with structured branches refuse it.
;
; CONVCHECK: --threads 8 --arg %id=0,1,2,3,4,5,6,7
;
; RUN: convcheck simulate --policy block-ip %s | FileCheck %s
; RUN: not convcheck simulate --policy gen-structured %s | FileCheck %s --check-prefix=STRUCTURED
;
; CHECK: machine issues utilisation verdict
; CHECK-NEXT: block-ip 26 70 % conforms
; CHECK: Memory:
; CHECK-NEXT: @dst = [1, 1, 3, 3, 7, 7, 7, 7]
; CHECK: Machine operations: 11 cmp.blockip, 1 eot, 1 jmpi.allh not taken, 3 jmpi.anyh, 1 jmpi.anyh not taken, 5 jmpi.join not taken, 5 mov.blockip
;
; STRUCTURED: gen-structured - - refused: the control flow is irreducible: a cycle is entered at %top and %middle

@src = global [8 x i32] [i32 3, i32 -1, i32 4, i32 -1, i32 5, i32 -9, i32 2, i32 6]
@dst = global [8 x i32] zeroinitializer

define void @compiler_unstructured_branch3(i32 %id) {
entry:
  %to = getelementptr [8 x i32], ptr @dst, i32 0, i32 %id
  %odd = and i32 %id, 1
  %jumps = icmp ne i32 %odd, 0
  br i1 %jumps, label %middle, label %top

top:
  %i = phi i32 [ 0, %entry ], [ %k, %middle ]
  %double = shl i32 %i, 1
  %j = add i32 %double, 1
  br label %middle

middle:
  %k = phi i32 [ 0, %entry ], [ %j, %top ]
  %again = icmp ult i32 %k, %id
  br i1 %again, label %top, label %end

end:
  store i32 %k, ptr %to
  ret void
}
