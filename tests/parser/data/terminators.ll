; Every terminator, with its attachments.
@targets = constant [2 x ptr] [ptr blockaddress(@indirect, %a), ptr blockaddress(@indirect, %b)]
declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)
declare void @may.throw()
declare i32 @value(i32)

define i32 @branches(i32 %x, i1 %c) {
entry:
  switch i32 %x, label %default [
    i32 0, label %one   ; a comment in the table
    i32 -5, label %two

    i32 1, label %one
  ], !prof !0
one:
  br i1 %c, label %two, label %default, !prof !1, !unpredictable !2
two: br label %default, !llvm.loop !3
default:
  %r = phi i32 [ 1, %entry ], [ 2, %one ], [ 3, %two ]
  switch i32 %r, label %out []
out:
  ret i32 %r, !srcloc !2
}
define { i32, ptr } @aggregates() {
  br i1 true, label %1, label %2
1:
  ret { i32, ptr } { i32 1, ptr null }
2:
  ret { i32, ptr } zeroinitializer
}
define void @indirect(ptr %p) {
  indirectbr ptr %p, [label %a, label %b, label %a]
a:
  indirectbr ptr %p, [ label %b ], !x !2
b:
  ret void
}
define i32 @exceptions() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @may.throw()
          to label %next unwind label %pad
next:
  %v = invoke fastcc noundef i32 @value(i32 noundef 4) nounwind [ "tag"(i32 1, ptr null), "deopt"() ] to label %fine unwind label %pad, !dbg.like !2
fine:
  ret i32 %v
pad:
  %e = landingpad { ptr, i32 }
          cleanup
          catch ptr null
          filter [2 x ptr] [ptr @targets, ptr null]
  br i1 true, label %again, label %done
again:
  resume { ptr, i32 } %e
done:
  unreachable, !x !2
}
define i32 @cleanup.only() personality ptr @__gxx_personality_v0 {
  invoke void @may.throw() to label %1 unwind label %2
1:
  ret i32 0
2:
  %3 = landingpad { ptr, i32 } cleanup
  ret i32 1
}
define i32 @filters() personality ptr @__gxx_personality_v0 {
  invoke void @may.throw() to label %1 unwind label %2
1:
  ret i32 0
2:
  %3 = landingpad { ptr, i32 } filter [0 x ptr] zeroinitializer
  resume { ptr, i32 } %3
}
define void @funclets() personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @may.throw() to label %exit unwind label %dispatch
dispatch:
  %cs = catchswitch within none [label %handler, label %other] unwind label %cleanup
handler:
  %cp = catchpad within %cs [ptr null, i32 64, ptr @targets]
  call void @may.throw() [ "funclet"(token %cp) ]
  catchret from %cp to label %exit
other:
  %cp2 = catchpad within %cs []
  invoke void @may.throw() [ "funclet"(token %cp2) ] to label %unreachable unwind label %inside
unreachable:
  unreachable
inside:
  %inner = cleanuppad within %cp2 [i32 7]
  cleanupret from %inner unwind label %cleanup
cleanup:
  %cl = cleanuppad within none []
  cleanupret from %cl unwind to caller
exit:
  invoke void @may.throw() to label %last unwind label %switch2
switch2:
  %cs2 = catchswitch within none [label %handler2] unwind to caller
handler2:
  %cp3 = catchpad within %cs2 [ptr null]
  catchret from %cp3 to label %last
last:
  ret void
}
define i32 @assembly.jump(i32 %x) {
  callbr void asm sideeffect "# $0 ${1:l}", "r,!i,!i,~{dirflag}"(i32 %x) #0
          to label %fall [label %away, label %far], !srcloc !2
fall:
  %r = callbr i32 asm "", "=r,r,!i"(i32 %x) to label %fall2 [label %away]
fall2:
  ret i32 %r
away:
  ret i32 1
far:
  ret i32 2
}
attributes #0 = { nounwind }
!0 = !{!"branch_weights", i32 1, i32 2, i32 3, i32 4}
!1 = !{!"branch_weights", i32 2000, i32 1}
!2 = !{}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.mustprogress"}
