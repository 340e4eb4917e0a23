; LLVM reads a hexadecimal literal wherever it reads a number: as a count, an index, an alignment, an address space.
%pair = type { [u0x4 x i8], <u0x2 x i32> }

@numbers = addrspace(u0x1) global [u0x10 x i8] zeroinitializer, align u0x10

define i32 @counts({ i32, i32 } %p, <vscale x u0x4 x i32> %v) addrspace(u0x0) align u0x10 {
  %room = alloca [u0x3 x i32], align u0x8
  %second = extractvalue { i32, i32 } %p, u0x1
  %changed = insertvalue { i32, i32 } %p, i32 s0x1, u0x0
  ret i32 %second
}

declare cc u0x5 void @aligned(ptr align u0x4, ptr byval(i32) align(u0x4))
