; Both arms of a branch sum their own lanes; the target sums all lanes once.
;
; RUN: not convcheck refine %s | FileCheck %s
; CHECK: wrong: @src -> @tgt
define i32 @src(i1 %odd, i32 %input) convergent {
entry:
  br i1 %odd, label %then, label %else
then:
  %one = call i32 @subgroupAdd(i32 %input)
  br label %join
else:
  %other = call i32 @subgroupAdd(i32 %input)
  br label %join
join:
  %sum = phi i32 [ %one, %then ], [ %other, %else ]
  ret i32 %sum
}
define i32 @tgt(i1 %odd, i32 %input) convergent {
entry:
  %sum = call i32 @subgroupAdd(i32 %input)
  ret i32 %sum
}
declare i32 @subgroupAdd(i32) convergent
