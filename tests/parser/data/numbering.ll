; Unnamed parameters, blocks and results: one counter, in text order; numbers may leave gaps.
define i32 @implicit(i32, i32 %named, i32) {
  add i32 %0, %1
  call void @nothing()
  call i32 @something()
  br label %5
5:
  %6 = mul i32 %3, %4
  store i32 %6, ptr null
  ret i32 %6
  br label %8
  ret i32 1
}
define void @explicit(i32 %0, i32 %3) personality ptr null {
4:
  %5 = add i32 %0, %3
  br label %20
20:
  %21 = phi i32 [ %5, %4 ]
  invoke void @nothing() to label %30 unwind label %31
30:
  ret void
31:
  %40 = landingpad { ptr, i32 } cleanup
  fence seq_cst
  ret void
}
define void @0() personality ptr null {
  ret void
}
define void @named(i32 %"1", i32 %x.1, i32 %-2) {
"0":
  %"5" = add i32 %"1", 1
  %0 = add i32 %"5", %"1"
  br label %"6 "
"6 ":
  ret void
}
declare void @nothing()
declare i32 @something()
define i32 @no.predecessors() {
  ret i32 0
unreached:
  %p = phi i32
  %q = phi i32 , !x !0
  ret i32 %q
}
!0 = !{}
