; Unary, binary, comparison, conversion, vector and aggregate instructions with their flags.
define void @integers(i32 %a, i32 %b, <4 x i32> %v, i64 %w, i8 %n, ptr %p, ptr addrspace(1) %q) {
  %1 = add i32 %a, %b
  %2 = add nuw i32 %a, 1
  %3 = sub nsw i32 0, %b
  %4 = mul nuw nsw i32 %a, -3
  %5 = udiv exact i32 %a, %b
  %6 = sdiv i32 %a, %b
  %7 = urem i32 %a, %b
  %8 = srem i32 %a, %b
  %9 = shl nuw i32 %a, %b
  %10 = lshr exact i32 %a, %b
  %11 = ashr i32 %a, 31
  %12 = and <4 x i32> %v, splat (i32 3)
  %13 = or disjoint i32 %a, %b
  %14 = xor <4 x i32> %v, <i32 -1, i32 poison, i32 undef, i32 0>
  %15 = icmp eq i32 %a, %b
  %16 = icmp samesign ult i32 %a, 7
  %17 = icmp sge <4 x i32> %v, zeroinitializer
  %18 = icmp ne ptr %p, null
  %19 = trunc nuw nsw i64 %w to i32
  %20 = zext nneg i32 %a to i64
  %21 = sext i8 %n to i32
  %22 = ptrtoint ptr %p to i64
  %23 = inttoptr i64 %w to ptr addrspace(1)
  %24 = addrspacecast ptr addrspace(1) %q to ptr
  %25 = bitcast <4 x i32> %v to i128
  %26 = ptrtoaddr ptr %p to i64
  %27 = uitofp nneg i32 %a to float
  %28 = sitofp i32 %a to double
  %29 = add i32 ptrtoint (ptr @integers to i32), add (i32 ptrtoint (ptr @floats to i32), i32 1)
  %30 = select i1 %15, i32 %a, i32 %b, !prof !0, !unpredictable !1
  %31 = select <4 x i1> %17, <4 x i32> %v, <4 x i32> zeroinitializer
  %32 = freeze i32 %a
  ret void
}
define void @floats(float %a, float %b, double %d, x86_fp80 %x, half %h, <2 x float> %v, i1 %c) {
  %1 = fneg float %a
  %2 = fneg fast float %a
  %3 = fadd nnan ninf nsz float %a, %b
  %4 = fsub float %a, 1.500000e+00
  %5 = fmul reassoc arcp contract afn float %a, %b
  %6 = fdiv fast <2 x float> %v, <float 1.0, float 2.0>
  %7 = frem double %d, 0x3FB999999999999A
  %8 = fcmp oeq float %a, %b
  %9 = fcmp fast ueq float %a, %b
  %10 = fcmp true float %a, %b
  %11 = fcmp nnan false <2 x float> %v, %v
  %12 = fpext fast half %h to double
  %13 = fptrunc x86_fp80 %x to float
  %14 = fptoui float %a to i32
  %15 = fptosi <2 x float> %v to <2 x i8>
  %16 = fadd x86_fp80 %x, 0xK3FFF8000000000000000
  %17 = select nsz i1 %c, float %a, float %b
  %18 = fcmp uno half %h, 0xH7E00
  br label %next
next:
  %19 = phi fast float [ %a, %0 ], !x !1
  ret void
}
define i32 @vectors(<4 x i32> %v, <vscale x 2 x i8> %s, { i32, [2 x { float, ptr }] } %g, i64 %i) {
  %1 = extractelement <4 x i32> %v, i64 %i
  %2 = insertelement <4 x i32> poison, i32 %1, i32 0
  %3 = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 0, i32 poison>
  %4 = shufflevector <4 x i32> %v, <4 x i32> %2, <4 x i32> zeroinitializer
  %5 = shufflevector <vscale x 2 x i8> %s, <vscale x 2 x i8> poison, <vscale x 4 x i32> zeroinitializer
  %6 = extractvalue { i32, [2 x { float, ptr }] } %g, 1, 0, 1
  %7 = insertvalue { i32, [2 x { float, ptr }] } %g, float 1.0, 1, 1, 0, !x !1
  %8 = insertvalue { i32, i8 } { i32 1, i8 2 }, i32 %1, 0
  %9 = insertvalue [2 x i32] undef, i32 %1, 0
  %10 = extractvalue [2 x i32] %9, 1
  ret i32 %10
}
!0 = !{!"branch_weights", i32 1, i32 2}
!1 = !{}
