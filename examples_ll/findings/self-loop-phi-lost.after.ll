; self-loop-phi-lost.ll after fix-irreducible of LLVM 22.1.
;
; RUN: convcheck verify %s | FileCheck %s --allow-empty
; CHECK-NOT: error

define i32 @main(i1 %into.second, i32 %n) {
start:
  %inverted = xor i1 %into.second, true
  br label %guard
first:
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 3
  br i1 %again, label %guard, label %second
second:
  %back = icmp ult i32 %j, %n
  br i1 %back, label %guard, label %end
end:
  ret i32 %j
guard:
  %j = phi i32 [ poison, %second ], [ %next, %first ], [ 7, %start ]
  %i = phi i32 [ %j, %second ], [ %i, %first ], [ 0, %start ]
  %to.first = phi i1 [ true, %second ], [ true, %first ], [ %inverted, %start ]
  br i1 %to.first, label %first, label %second
}
