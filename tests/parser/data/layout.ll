

;;; Comments, spaces and lines anywhere; "unbalanced { in a comment
  target triple="spirv64"   ; after
@a=global i32 1 @b = global i32 2 /* a block
 comment { */ @c = global
   [2
     x i32] [ i32 1, ; one
   i32 2 ] , align 4
declare void @f ( ) declare void @g(i32,ptr) convergent
define i32 @one.line(i32 %x) { %y = add i32 %x, 1 br label %a a: ret i32 %y }
define
   void
   @many.lines (
     i32 %a , ; first
     i32 %b )
   convergent
{ ; begins
 entry: %t = call token @llvm.experimental.convergence.entry() %x=add i32 %a,
            %b
        %y = call
   i32 @h ( i32 %x )   convergent
       [ "convergencectrl" (
            token
            %t ) ; in the middle
       ]

	br	label	%"the } end"
   "the } end":   ; preds
   store i32
     ptrtoint (ptr @a to i32)
     , ptr
     getelementptr (i8,
       ptr @c, i64 1)
   switch i32 %x, label %out [ i32 1, label %out i32 2,
     label %out
     ; nothing
   ]
 out: call void asm sideeffect "multi
line } {", ""()
   ret void
 ; the last word }
}
declare i32 @h(i32)define void @attached(){ret void}attributes #0={nounwind
  convergent "a"="b" }
!0=!{!1,
 null}
!1 = ! { } !2 = !{!"a } string"
}
!3 = distinct
!{!3}
define void @t() {
  %t = call token @llvm.experimental.convergence.anchor()
  ret void
}
declare token @llvm.experimental.convergence.anchor()
