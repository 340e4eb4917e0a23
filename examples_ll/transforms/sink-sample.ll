; Convergent Operation Semantics, "Texture sampling in a pixel shader": the sample is sunk into the only
; block that uses it.
; Wrong: the neighbours that do not go there no longer lend their coordinates. @textureSample has no model,
; so its result is a fresh value for each group and its coordinates; that is enough to see it. Over a uniform
; branch the group is the same, and so is the result.
;
; RUN: not convcheck refine %s | FileCheck %s --check-prefix=DIVERGENT
; RUN: convcheck refine %s --assume uniform:%condition | FileCheck %s --check-prefix=UNIFORM
;
; DIVERGENT: {{^}}wrong:
; DIVERGENT: {{^}}Difference:
; UNIFORM: {{^}}equal:

define void @src(i32 %coordinates, i1 %condition) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %color = call i32 @textureSample(i32 %coordinates) [ "convergencectrl"(token %entry) ]
  br i1 %condition, label %B, label %C

B:
  call void @report(i32 %color)
  br label %C

C:
  ret void
}

define void @tgt(i32 %coordinates, i1 %condition) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %condition, label %B, label %C

B:
  %color = call i32 @textureSample(i32 %coordinates) [ "convergencectrl"(token %entry) ]
  call void @report(i32 %color)
  br label %C

C:
  ret void
}

declare void @report(i32)
declare i32 @textureSample(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
