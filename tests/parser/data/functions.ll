; Headers: linkage, conventions, attributes, and what follows the parameters.
$f = comdat any
$"f 2" = comdat any
%T = type { i32, i64 }
declare void @plain()
declare i32 @unnamed(i32, ptr, ...)
declare i32 @named(i32 %x, ptr %"a name", i8 %0)
declare void @only.variadic(...)
declare hidden zeroext i8 @returns(i8 signext, i16 zeroext, i32 inreg, i1 noundef)
declare noalias nonnull align 16 dereferenceable(4) dereferenceable_or_null(8) ptr @pointer(ptr noalias nofree nonnull readonly align 4)
declare void @memory(ptr byval(%T) align 8, ptr sret(%T), ptr byref(i32), ptr byref([2 x i8])) #4
declare void @capture(ptr captures(none), ptr captures(address, read_provenance), ptr captures(ret: address, provenance))
declare void @initial(ptr initializes((0, 4), (8, 12)) writeonly, ptr dead_on_unwind writable, ptr dead_on_return, ptr nest)
declare nofpclass(nan inf) float @class(float nofpclass(qnan snan pinf ninf pnorm nnorm psub nsub pzero nzero), double nofpclass(all))
declare range(i32 0, 10) i32 @range(i8 range(i8 -3, 5), <2 x i32> range(i32 1, 2))
declare void @special(ptr swiftself, ptr swifterror, ptr swiftasync, ptr noundef)
declare void @strings(ptr "key"="value" "lonely", i32 "a"="c d") "fn"="x" nounwind
declare void @effects() memory(argmem: readwrite, inaccessiblemem: write, errnomem: none) nosync nofree willreturn mustprogress
declare void @none() memory(none) convergent nocallback
declare ptr @allocates(i64 allocalign, i32) allockind("alloc,uninitialized,aligned") allocsize(0, 1) "alloc-family"="malloc"
declare void @more() uwtable(sync) vscale_range(1, 16) alignstack(8) nonlazybind returns_twice noduplicate naked
declare i32 @in.space() addrspace(1)
declare void @uw() uwtable(async)

define linkonce_odr dso_local fastcc noundef i32 @linked(i32 %x) local_unnamed_addr #0 section ".text.\22x\22" partition "p" comdat($f) align 32 gc "statepoint-example" prefix i32 123 prologue i8 1 personality ptr @plain {
  ret i32 %x
}
define private void @conventions() unnamed_addr comdat($"f 2") {
  call cc 10 void @ghc()
  call coldcc void @cold()
  call spir_func void @spir()
  call amdgpu_gfx void @gfx()
  call swifttailcc void @swift()
  call ccc void @plain()
  call cc 1023 void @plain()
  ret void
}
declare cc 10 void @ghc()
declare coldcc void @cold()
declare spir_func void @spir()
declare amdgpu_gfx void @gfx()
declare swifttailcc void @swift()
declare ptx_kernel void @ptx()
declare x86_stdcallcc void @std()
declare riscv_vls_cc(128) void @vls()
define weak_odr amdgpu_kernel void @kernel(ptr addrspace(1) noundef align 4 %0, i32 %1) #1 {
  ret void
}
define internal { i32, %T } @f() comdat !kind !0 !other !1 {
  unreachable
}
define available_externally void @available() #2 #3 { ret void }
define dllexport void @exported() prefix { i32, ptr } { i32 1, ptr @plain } { ret void }
define void @0() { ret void }
define void @1(i32, i32 %named, i32) { ret void }
attributes #0 = { alignstack=8 nounwind "frame-pointer"="all" uwtable }
attributes #1 = { convergent "target-features"="+sse,-avx" memory(none) }
attributes #2 = { allockind("free") vscale_range(2,4) }
attributes #3 = { "no-arguments" }
attributes #4 = { nounwind align=8 }
!0 = !{}
!1 = !{!"x", i32 1}

declare float @classes(float nofpclass(nan sub zero))
