; Every spelling of a constant.
%T = type { i32, float }
%P = type <{ i8, i32 }>
@integers = global [7 x i32] [i32 0, i32 -1, i32 2147483647, i32 u0xFF, i32 s0x0, i32 s0x80000000, i32 4294967295]
@wide = global i256 115792089237316195423570985008687907853269984665640564039457584007913129639935
@booleans = global <4 x i1> <i1 true, i1 false, i1 1, i1 0>
@half = global [3 x half] [half 0xH3C00, half 1.5, half -0.0]
@bfloat = global [2 x bfloat] [bfloat 0xR3F80, bfloat 2.0]
@float = global [8 x float] [float 1.0, float 0x3FF0000000000000, float -1.5e+9, float 0x7FF8000000000000, float 0x7FF0000000000000, float 0x36A0000000000000, float 0x7FF4000000000000, float +3.0]
@double = global [7 x double] [double 1.0e-300, double 0x7FF0000000000001, double 0.1, double 1., double -0.0, double 4.9E-324, double 0x1]
@fp80 = global [2 x x86_fp80] [x86_fp80 0xK3FFF8000000000000000, x86_fp80 0xK00000000000000000001]
@fp128 = global fp128 0xL00000000000000003FFF000000000000
@ppc = global ppc_fp128 0xM400C0000000000000000000000000001
@nothing = global { ptr, i32, float } { ptr null, i32 undef, float poison }
@zero = global [4 x %T] zeroinitializer
@struct = global %T { i32 1, float 2.0 }
@packed = global %P <{ i8 1, i32 2 }>
@literal = global <{ i8, { i16, [0 x i8] } }> <{ i8 1, { i16, [0 x i8] } { i16 2, [0 x i8] [] } }>
@empty = global {} {}
@empty.packed = global <{}> <{}>
@string = global [5 x i8] c"\00\\a\22\C3"
@splat = global <4 x i32> splat (i32 7)
@vector = global <2 x ptr> <ptr @integers, ptr null>
@gep = global ptr getelementptr inbounds nuw (%T, ptr @struct, i32 0, i32 1)
@gep.nusw = global ptr getelementptr nusw (i8, ptr @struct, i64 4)
@gep.range = global ptr getelementptr inbounds inrange(-8, 16) ({ [3 x ptr] }, ptr @table, i32 0, i32 0, i32 1)
@gep.vector = global <2 x ptr> getelementptr (i8, <2 x ptr> <ptr @string, ptr @struct>, <2 x i64> <i64 1, i64 2>)
@table = constant { [3 x ptr] } zeroinitializer
@int = global i64 ptrtoint (ptr @struct to i64)
@address = global i64 ptrtoaddr (ptr @struct to i64)
@pointer = global ptr inttoptr (i64 4096 to ptr)
@cast = global ptr addrspacecast (ptr addrspace(1) null to ptr)
@bits = global i64 bitcast (<2 x i32> <i32 1, i32 ptrtoint (ptr @struct to i32)> to i64)
@small = global i8 trunc (i64 ptrtoint (ptr @struct to i64) to i8)
@sum = global i64 add nuw nsw (i64 ptrtoint (ptr @struct to i64), i64 1)
@difference = global i64 sub (i64 ptrtoint (ptr @struct to i64), i64 ptrtoint (ptr @table to i64))
@xor = global i64 xor (i64 ptrtoint (ptr @struct to i64), i64 -1)
@label = global ptr blockaddress(@jumps, %"a label")
@equivalent = global ptr dso_local_equivalent @jumps
@plain = global ptr no_cfi @jumps
@signed = global ptr ptrauth (ptr @struct, i32 2)
@signed.too = global ptr ptrauth (ptr @struct, i32 2, i64 1234, ptr @table)
@nested = global { { { i32 } } } { { { i32 } } { { i32 } { i32 1 } } }

define void @jumps() {
  br label %"a label"
"a label":
  ret void
}
@extracted = global i64 extractelement (<2 x i64> <i64 ptrtoint (ptr @struct to i64), i64 2>, i32 0)
@inserted = global <2 x i64> insertelement (<2 x i64> zeroinitializer, i64 ptrtoint (ptr @struct to i64), i32 1)
@shuffled = global <2 x i64> shufflevector (<2 x i64> <i64 ptrtoint (ptr @struct to i64), i64 2>, <2 x i64> poison, <2 x i32> <i32 1, i32 0>)
