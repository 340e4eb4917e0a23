; Memory access and addressing.
%T = type { i32, [4 x i64] }
@g = global %T zeroinitializer
@s = addrspace(3) global [8 x i32] undef
define i32 @memory(ptr %p, i64 %n, ptr addrspace(3) %q, <4 x ptr> %vp, i32 %x) {
  %a = alloca i32
  %b = alloca %T, align 16
  %c = alloca i8, i64 %n, align 1
  %d = alloca [4 x i32], i32 2, align 4, addrspace(0), !x !0
  %e = alloca inalloca i32
  %1 = load i32, ptr %p
  %2 = load volatile i32, ptr %p, align 1, !nontemporal !1, !invariant.load !0
  %3 = load atomic i32, ptr %p acquire, align 4
  %4 = load atomic volatile i64, ptr %p syncscope("agent") seq_cst, align 8, !x !0
  %5 = load ptr addrspace(3), ptr getelementptr inbounds nuw (%T, ptr @g, i32 0, i32 1, i64 2), align 8
  %6 = load %T, ptr @g
  %7 = load <4 x float>, ptr addrspace(3) %q, align 16
  store i32 %x, ptr %p
  store volatile i32 7, ptr addrspace(3) @s, align 4
  store atomic i32 %x, ptr %p monotonic, align 4
  store atomic volatile i32 0, ptr %p syncscope("one\22s") release, align 4, !x !0
  store %T { i32 1, [4 x i64] zeroinitializer }, ptr %p
  store ptr %p, ptr %p, !nontemporal !1
  store <2 x i8> <i8 1, i8 poison>, ptr %p, align 2
  fence acquire
  fence syncscope("workgroup") acq_rel, !x !0
  %8 = cmpxchg ptr %p, i32 %x, i32 0 acq_rel monotonic
  %9 = cmpxchg weak volatile ptr %p, ptr null, ptr %p syncscope("singlethread") seq_cst seq_cst, align 8, !x !0
  %10 = atomicrmw add ptr %p, i32 1 monotonic
  %11 = atomicrmw volatile xchg ptr %p, i32 %x syncscope("agent-one-as") seq_cst, align 4, !x !0
  %12 = atomicrmw fadd ptr addrspace(3) %q, float 1.0 seq_cst
  %13 = atomicrmw uinc_wrap ptr %p, i32 3 acq_rel
  %14 = atomicrmw and ptr %p, i8 3 release
  %15 = atomicrmw fmaximum ptr %p, half 0xH3C00 release
  %16 = atomicrmw usub_sat ptr %p, i32 3 acquire
  %17 = getelementptr i8, ptr %p, i64 %n
  %18 = getelementptr inbounds %T, ptr %p, i32 0, i32 1, i64 %n
  %19 = getelementptr nusw nuw i32, ptr addrspace(3) %q, i64 1, !x !0
  %20 = getelementptr [4 x i32], ptr %p, <4 x i64> splat (i64 1)
  %21 = getelementptr i8, <4 x ptr> %vp, i64 4
  %22 = getelementptr inbounds nuw { i32, { i8, i64 } }, ptr @g, i64 0, i32 1, i32 0
  %23 = getelementptr i32, ptr %p
  ret i32 %1
}
define i32 @variadic(i32 %n, ...) {
  %list = alloca ptr
  %v = va_arg ptr %list, i32
  %w = va_arg ptr %list, { i32, double }, !x !0
  ret i32 %v
}
!0 = !{}
!1 = !{i32 1}
