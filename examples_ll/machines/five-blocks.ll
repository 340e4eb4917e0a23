; The five blocks of *Unstructured Branches*. All lanes go from b2 to b5: the jump goes to the JOIN point on top of
; b4, finds no lane there, and jumps on.
;
; CONVCHECK: --path "b1 b2 b5" --path "b1 b2 b5"
;
; RUN: convcheck simulate --policy block-ip %s | FileCheck %s --check-prefix=GEN
; RUN: convcheck simulate --policy block-ip --show-linearised %s | FileCheck %s --check-prefix=LINEAR
;
; GEN: machine issues utilisation verdict
; GEN-NEXT: block-ip 4 100 % conforms (natural)
; GEN: Machine operations: 6 cmp.blockip, 1 eot, 1 jmpi.allh, 1 jmpi.allh not taken, 1 jmpi.join, 1 jmpi.join not taken, 2 mov.blockip
;
; LINEAR: @f, linearised:
; LINEAR-NEXT: 0 %b1 on to %b4 if all lanes are beyond %b2
; LINEAR-NEXT: 1 %b2 on to %b4 if all lanes are beyond %b3
; LINEAR-NEXT: 2 %b3 back to %b3 if any lane wants
; LINEAR-NEXT: 3 %b4 JOIN, else to %b5
; LINEAR-NEXT: 4 %b5

define void @f(i1 %one, i1 %two, i1 %three) {
b1:
  br i1 %one, label %b2, label %b4

b2:
  br i1 %two, label %b3, label %b5

b3:
  br i1 %three, label %b3, label %b4

b4:
  %met = call i32 @subgroupAdd(i32 1)
  br label %b5

b5:
  %end = call i32 @subgroupAdd(i32 1)
  ret void
}

declare i32 @subgroupAdd(i32) convergent
