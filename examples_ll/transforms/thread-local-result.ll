; A shader's result is what it leaves in variables that each thread has for itself.
; Wrong. The store to @colour is dropped for the lanes that are alone: nobody reads it again in the module, but the
; outside looks at it when the thread is done.
;
; RUN: not convcheck refine %s | FileCheck %s
;
; CHECK: {{^}}wrong:
; CHECK: {{^}}Difference: at the end @colour of thread {{[0-9]+}} is

@depth = external thread_local externally_initialized constant i32
@colour = external thread_local global i32

define void @src() convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %depth = load i32, ptr @depth
  %sum = call i32 @subgroupAdd(i32 %depth) [ "convergencectrl"(token %entry) ]
  store i32 %sum, ptr @colour
  ret void
}

define void @tgt() convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  %depth = load i32, ptr @depth
  %sum = call i32 @subgroupAdd(i32 %depth) [ "convergencectrl"(token %entry) ]
  %alone = icmp eq i32 %sum, %depth
  br i1 %alone, label %C, label %B

B:
  store i32 %sum, ptr @colour
  br label %C

C:
  ret void
}

declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
