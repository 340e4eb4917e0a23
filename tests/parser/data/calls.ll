; Calls: markers, flags, conventions, attributes, function types, assembly, bundles, metadata.
declare i32 @printf(ptr, ...)
declare void @f(i32, ptr)
declare float @g(float, ...)
declare ptr @h()
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare i32 @llvm.read_register.i32(metadata)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare void @convergent() convergent
@fp = global ptr @f
@str = private constant [4 x i8] c"%d\0A\00"

define i32 @calls(ptr %p, i32 %x, float %y, { i32, i8 } %s, ptr addrspace(1) %q) #0 {
  call void @f(i32 %x, ptr null)
  tail call void @f(i32 noundef 3, ptr noalias nonnull align 8 dereferenceable(16) %p) #1
  notail call fastcc void @f(i32 undef, ptr "string"="attribute" "lonely" poison) nounwind memory(argmem: read, inaccessiblemem: none)
  %1 = call i32 (ptr, ...) @printf(ptr @str, i32 %x, double 1.5)
  %2 = call i32 (ptr, ...) %p(ptr @str)
  %3 = call fast nofpclass(nan inf) float (float, ...) @g(float %y)
  %4 = call reassoc nnan float %p(float 1.0)
  %5 = call noundef nonnull align 16 dereferenceable(64) ptr @h()
  %6 = call range(i32 0, 32) zeroext i32 %p(i32 range(i32 1, 5) %x, i1 zeroext true)
  call void %p(ptr byval({ i32, i8 }) align 4 %p, { i32, i8 } %s, { i32, i8 } { i32 1, i8 2 }, [2 x i8] c"ab")
  call void %p(ptr sret([4 x i32]) %p, ptr initializes((0, 4)) %p)
  call void @f(i32 ptrtoint (ptr @fp to i32), ptr getelementptr (i8, ptr @str, i64 1)), !x !0, !y !{!"inline"}
  call addrspace(0) void @f(i32 1, ptr inttoptr (i64 5 to ptr))
  %7 = call <4 x float> %p(<4 x float> splat (float 2.0), <2 x i8> <i8 1, i8 2>)
  call void asm sideeffect "nop # \22x\22 \5C", "~{memory},~{dirflag}"() #1, !srcloc !0
  %8 = call i32 asm "mov $0, $1", "=r,r"(i32 %x)
  %9 = call { i32, i32 } asm sideeffect alignstack inteldialect unwind "x", "=r,=r,0"(i32 %x)
  call void (i32) asm "", "r"(i32 1)
  call void @f(i32 1, ptr null) [ "deopt"(i32 1, ptr %p, { i32, i8 } %s), "kcfi"(i32 7), "empty"(), "a\22b"(float 1.0) ]
  call void @f(i32 1, ptr no_cfi @fp)
  call void dso_local_equivalent @f(i32 1, ptr dso_local_equivalent @f)
  call void @llvm.dbg.value(metadata i32 %x, metadata !DILocalVariable(scope: !4), metadata !DIExpression(DW_OP_deref)), !dbg !5
  %10 = call i32 @llvm.read_register.i32(metadata !6)
  call void null()
  call void undef(i32 1)
  %11 = call spir_func ptr addrspace(1) %p(ptr addrspace(1) noundef %q)
  call void @"quoted name"(ptr @"quoted name")
  ret i32 %1
}
declare void @"quoted name"(ptr)
define void @tokens(i1 %c) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ], !x !0
  call void @convergent() [ "convergencectrl"(token %h) ]
  tail call void @convergent() convergent [ "deopt"(i32 1), "convergencectrl"(token %h), "other"() ]
  call void @convergent() #1 [   "convergencectrl" ( token   %h )   ]
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
define void @forwards(ptr %this, ...) {
  musttail call void (ptr, ...) @variadic(ptr %this, ...)
  ret void
}
declare void @variadic(ptr, ...)
define void @nothing(...) {
  musttail call void (...) @everything(...)
  ret void
}
declare void @everything(...)
attributes #0 = { convergent }
attributes #1 = { nounwind }
!llvm.module.flags = !{!1}
!llvm.dbg.cu = !{!2}
!0 = !{}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C, file: !3)
!3 = !DIFile(filename: "a.c", directory: "")
!4 = distinct !DISubprogram(name: "calls", file: !3, unit: !2, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 1, scope: !4)
!6 = !{!"sp"}
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
define void @statepoint() gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void (ptr, ...)) @variadic, i32 1, i32 0, ptr null, i32 0, i32 0)
  ret void
}
