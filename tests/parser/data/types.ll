; Every type, as a parameter, a local or a global.
%S = type { i8, i16 }
@scalars = external global { half, bfloat, float, double, fp128, x86_fp80, ppc_fp128 }
@widths = external global { i1, i7, i128, i8388607 }
@arrays = external global [3 x [0 x [2 x %S]]]
@vectors = external global { <4 x i32>, <2 x ptr>, <2 x ptr addrspace(3)> }
@packed = external global <{ i8, <{ i16 }>, {}, <{}> }>
@pointers = external global { ptr, ptr addrspace(1), ptr addrspace(16777215) }
@event = external global target("spirv.Event")

declare void @functions(ptr, ...)
declare void @intrinsic.types(float)
declare { i32, { float } } @structs()
declare <vscale x 4 x i32> @scalable(<vscale x 1 x i1>)
declare target("spirv.Image", void, 1, 1, 0, 0, 0, 0, 0) @image(target("spirv.Image", float, 2))

define void @locals(%S %s, [2 x i8] %a, <8 x i1> %v) {
  %p = alloca [4 x { i32, %S }], align 8
  %q = alloca <vscale x 2 x i64>
  %t = alloca target("spirv.Sampler")
  %r = alloca target("dx.RawBuffer", { <4 x float>, i32 }, 1, 0), align 8
  ret void
}

@typed_pointer = global i32 addrspace(3)* null
@typed_pointers = external global { i8*, void (i32*, ...)* }*
