target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

@A = internal unnamed_addr global [96 x float] zeroinitializer, align 16
@B = internal unnamed_addr global [96 x float] zeroinitializer, align 16
@I = internal unnamed_addr global [96 x i32] zeroinitializer, align 16
@D = internal unnamed_addr global [96 x double] zeroinitializer, align 16
@S = internal unnamed_addr global [96 x i16] zeroinitializer, align 16
@L = internal unnamed_addr global [96 x i64] zeroinitializer, align 16
@U = internal unnamed_addr global [384 x i8] zeroinitializer, align 16

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local noundef i128 @big(i128 noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = zext i64 %1 to i128
  %4 = ashr i128 %0, 7
  %5 = sub i128 %0, %3
  %6 = mul i128 %5, %3
  %7 = add i128 %6, %4
  ret i128 %7
}

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable
define dso_local i64 @run(i32 noundef %0) local_unnamed_addr #1 {
  %2 = mul i32 %0, 747796405
  %3 = add i32 %2, -1403630843
  br label %4

4:                                                ; preds = %1, %4
  %5 = phi i64 [ 0, %1 ], [ %43, %4 ]
  %6 = phi i32 [ %3, %1 ], [ %8, %4 ]
  %7 = mul i32 %6, 1664525
  %8 = add i32 %7, 1013904223
  %9 = sitofp i32 %8 to float
  %10 = fmul float %9, 0x3EF0000000000000
  %11 = getelementptr inbounds nuw float, ptr @A, i64 %5
  store float %10, ptr %11, align 4
  %12 = lshr i32 %8, 9
  %13 = uitofp nneg i32 %12 to float
  %14 = fmul float %13, 5.000000e-01
  %15 = getelementptr inbounds nuw float, ptr @B, i64 %5
  store float %14, ptr %15, align 4
  %16 = ashr i32 %8, 4
  %17 = getelementptr inbounds nuw i32, ptr @I, i64 %5
  store i32 %16, ptr %17, align 4
  %18 = urem i32 %8, 1000
  %19 = uitofp nneg i32 %18 to double
  %20 = fadd double %19, -5.002500e+02
  %21 = getelementptr inbounds nuw double, ptr @D, i64 %5
  store double %20, ptr %21, align 8
  %22 = lshr i32 %8, 7
  %23 = trunc i32 %22 to i16
  %24 = getelementptr inbounds nuw i16, ptr @S, i64 %5
  store i16 %23, ptr %24, align 2
  %25 = zext i32 %8 to i64
  %26 = mul nuw i64 %25, %25
  %27 = getelementptr inbounds nuw i64, ptr @L, i64 %5
  store i64 %26, ptr %27, align 8
  %28 = shl nuw nsw i64 %5, 2
  %29 = trunc i32 %8 to i8
  %30 = getelementptr inbounds nuw i8, ptr @U, i64 %28
  store i8 %29, ptr %30, align 4
  %31 = lshr i32 %8, 8
  %32 = trunc i32 %31 to i8
  %33 = getelementptr inbounds nuw i8, ptr @U, i64 %28
  %34 = getelementptr inbounds nuw i8, ptr %33, i64 1
  store i8 %32, ptr %34, align 1
  %35 = lshr i32 %8, 16
  %36 = trunc i32 %35 to i8
  %37 = getelementptr inbounds nuw i8, ptr @U, i64 %28
  %38 = getelementptr inbounds nuw i8, ptr %37, i64 2
  store i8 %36, ptr %38, align 2
  %39 = lshr i32 %8, 24
  %40 = trunc nuw i32 %39 to i8
  %41 = getelementptr inbounds nuw i8, ptr @U, i64 %28
  %42 = getelementptr inbounds nuw i8, ptr %41, i64 3
  store i8 %40, ptr %42, align 1
  %43 = add nuw nsw i64 %5, 1
  %44 = icmp eq i64 %43, 96
  br i1 %44, label %45, label %4

45:                                               ; preds = %4
  %46 = zext i32 %8 to i128
  tail call fastcc void @vec(i32 noundef 95, i32 noundef 1)
  %47 = tail call fastcc i32 @red(i32 noundef 93)
  %48 = zext i32 %47 to i64
  tail call fastcc void @cond(i32 noundef 91)
  %49 = tail call fastcc float @fred(i32 noundef 95)
  %50 = bitcast float %49 to i32
  %51 = mul nuw nsw i64 %48, 31
  %52 = zext i32 %50 to i64
  %53 = add nuw nsw i64 %51, %52
  tail call fastcc void @gather(i32 noundef 94)
  %54 = shl nuw nsw i64 %53, 20
  %55 = zext nneg i64 %54 to i128
  %56 = or i128 %55, %46
  %57 = or i64 %53, 1
  %58 = zext nneg i64 %57 to i128
  %59 = lshr i128 %56, 7
  %60 = sub nsw i128 %56, %58
  %61 = mul nsw i128 %60, %58
  %62 = add nsw i128 %61, %59
  %63 = lshr i128 %62, 64
  %64 = xor i128 %63, %62
  %65 = trunc i128 %64 to i64
  %66 = xor i64 %53, %65
  %67 = load <4 x i32>, ptr @I, align 16
  %68 = mul <4 x i32> %67, <i32 3, i32 poison, i32 poison, i32 20>
  %69 = icmp sgt <4 x i32> %67, <i32 1, i32 2, i32 3, i32 4>
  %70 = zext <4 x i1> %69 to <4 x i32>
  %71 = add <4 x i32> %68, %70
  %72 = extractelement <4 x i32> %71, i64 3
  %73 = or disjoint i32 %72, 2
  %74 = extractelement <4 x i32> %71, i64 0
  %75 = xor i32 %74, %73
  %76 = xor i32 %75, 3
  %77 = zext i32 %76 to i64
  %78 = add i64 %66, %77
  %79 = tail call i64 @llvm.bswap.i64(i64 %78)
  %80 = tail call i64 @llvm.fshl.i64(i64 %78, i64 %78, i64 7)
  %81 = xor i64 %79, %80
  %82 = load i32, ptr getelementptr inbounds nuw (i8, ptr @I, i64 4), align 4
  %83 = load i32, ptr getelementptr inbounds nuw (i8, ptr @I, i64 8), align 8
  %84 = tail call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %82, i32 %83)
  %85 = extractvalue { i32, i1 } %84, 1
  %86 = extractvalue { i32, i1 } %84, 0
  %87 = zext i1 %85 to i64
  %88 = add i64 %78, %87
  %89 = add i64 %88, %81
  %90 = zext i32 %86 to i64
  %91 = xor i64 %89, %90
  tail call fastcc void @vec(i32 noundef 94, i32 noundef 2)
  %92 = mul i64 %91, 31
  %93 = tail call fastcc i32 @red(i32 noundef 90)
  %94 = zext i32 %93 to i64
  %95 = add i64 %92, %94
  tail call fastcc void @cond(i32 noundef 86)
  %96 = tail call fastcc float @fred(i32 noundef 94)
  %97 = bitcast float %96 to i32
  %98 = mul i64 %95, 31
  %99 = zext i32 %97 to i64
  %100 = add i64 %98, %99
  tail call fastcc void @gather(i32 noundef 92)
  %101 = zext i64 %100 to i128
  %102 = shl nuw nsw i128 %101, 20
  %103 = or i128 %102, %46
  %104 = or i64 %100, 1
  %105 = zext i64 %104 to i128
  %106 = lshr i128 %103, 7
  %107 = sub nsw i128 %103, %105
  %108 = mul i128 %107, %105
  %109 = add i128 %108, %106
  %110 = lshr i128 %109, 64
  %111 = xor i128 %110, %109
  %112 = trunc i128 %111 to i64
  %113 = xor i64 %100, %112
  %114 = load <4 x i32>, ptr @I, align 16
  %115 = mul <4 x i32> %114, <i32 6, i32 poison, i32 poison, i32 20>
  %116 = icmp sgt <4 x i32> %114, <i32 2, i32 2, i32 3, i32 4>
  %117 = zext <4 x i1> %116 to <4 x i32>
  %118 = or disjoint <4 x i32> %115, %117
  %119 = extractelement <4 x i32> %118, i64 3
  %120 = or disjoint i32 %119, 2
  %121 = extractelement <4 x i32> %118, i64 0
  %122 = xor i32 %121, %120
  %123 = xor i32 %122, 3
  %124 = zext i32 %123 to i64
  %125 = add i64 %113, %124
  %126 = tail call i64 @llvm.bswap.i64(i64 %125)
  %127 = tail call i64 @llvm.fshl.i64(i64 %125, i64 %125, i64 14)
  %128 = xor i64 %126, %127
  %129 = load i32, ptr getelementptr inbounds nuw (i8, ptr @I, i64 8), align 8
  %130 = load i32, ptr getelementptr inbounds nuw (i8, ptr @I, i64 12), align 4
  %131 = tail call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %129, i32 %130)
  %132 = extractvalue { i32, i1 } %131, 1
  %133 = extractvalue { i32, i1 } %131, 0
  %134 = zext i1 %132 to i64
  %135 = add i64 %125, %134
  %136 = add i64 %135, %128
  %137 = zext i32 %133 to i64
  %138 = xor i64 %136, %137
  tail call fastcc void @vec(i32 noundef 93, i32 noundef 3)
  %139 = mul i64 %138, 31
  %140 = tail call fastcc i32 @red(i32 noundef 87)
  %141 = zext i32 %140 to i64
  %142 = add i64 %139, %141
  tail call fastcc void @cond(i32 noundef 81)
  %143 = tail call fastcc float @fred(i32 noundef 93)
  %144 = bitcast float %143 to i32
  %145 = mul i64 %142, 31
  %146 = zext i32 %144 to i64
  %147 = add i64 %145, %146
  tail call fastcc void @gather(i32 noundef 90)
  %148 = zext i64 %147 to i128
  %149 = shl nuw nsw i128 %148, 20
  %150 = or i128 %149, %46
  %151 = or i64 %147, 1
  %152 = zext i64 %151 to i128
  %153 = lshr i128 %150, 7
  %154 = sub nsw i128 %150, %152
  %155 = mul i128 %154, %152
  %156 = add i128 %155, %153
  %157 = lshr i128 %156, 64
  %158 = xor i128 %157, %156
  %159 = trunc i128 %158 to i64
  %160 = xor i64 %147, %159
  %161 = load <4 x i32>, ptr @I, align 16
  %162 = mul <4 x i32> %161, <i32 11, i32 poison, i32 poison, i32 20>
  %163 = icmp sgt <4 x i32> %161, <i32 3, i32 2, i32 3, i32 4>
  %164 = zext <4 x i1> %163 to <4 x i32>
  %165 = add <4 x i32> %162, %164
  %166 = extractelement <4 x i32> %165, i64 3
  %167 = or disjoint i32 %166, 2
  %168 = extractelement <4 x i32> %165, i64 0
  %169 = xor i32 %168, %167
  %170 = xor i32 %169, 3
  %171 = zext i32 %170 to i64
  %172 = add i64 %160, %171
  %173 = tail call i64 @llvm.bswap.i64(i64 %172)
  %174 = tail call i64 @llvm.fshl.i64(i64 %172, i64 %172, i64 21)
  %175 = xor i64 %173, %174
  %176 = load i32, ptr getelementptr inbounds nuw (i8, ptr @I, i64 12), align 4
  %177 = load i32, ptr getelementptr inbounds nuw (i8, ptr @I, i64 16), align 16
  %178 = tail call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %176, i32 %177)
  %179 = extractvalue { i32, i1 } %178, 1
  %180 = extractvalue { i32, i1 } %178, 0
  %181 = zext i1 %179 to i64
  %182 = add i64 %172, %181
  %183 = add i64 %182, %175
  %184 = zext i32 %180 to i64
  %185 = xor i64 %183, %184
  br label %187

186:                                              ; preds = %187
  ret i64 %214

187:                                              ; preds = %187, %45
  %188 = phi i64 [ 0, %45 ], [ %215, %187 ]
  %189 = phi i64 [ %185, %45 ], [ %214, %187 ]
  %190 = getelementptr inbounds nuw double, ptr @D, i64 %188
  %191 = load i64, ptr %190, align 16
  %192 = mul i64 %189, 1099511628211
  %193 = add i64 %191, %192
  %194 = getelementptr inbounds nuw float, ptr @A, i64 %188
  %195 = load i32, ptr %194, align 8
  %196 = zext i32 %195 to i64
  %197 = xor i64 %193, %196
  %198 = getelementptr inbounds nuw i16, ptr @S, i64 %188
  %199 = load i16, ptr %198, align 4
  %200 = sext i16 %199 to i64
  %201 = add i64 %197, %200
  %202 = or disjoint i64 %188, 1
  %203 = getelementptr inbounds nuw double, ptr @D, i64 %202
  %204 = load i64, ptr %203, align 8
  %205 = mul i64 %201, 1099511628211
  %206 = add i64 %204, %205
  %207 = getelementptr inbounds nuw float, ptr @A, i64 %202
  %208 = load i32, ptr %207, align 4
  %209 = zext i32 %208 to i64
  %210 = xor i64 %206, %209
  %211 = getelementptr inbounds nuw i16, ptr @S, i64 %202
  %212 = load i16, ptr %211, align 2
  %213 = sext i16 %212 to i64
  %214 = add i64 %210, %213
  %215 = add nuw nsw i64 %188, 2
  %216 = icmp eq i64 %215, 96
  br i1 %216, label %186, label %187
}

; Function Attrs: nofree noinline norecurse nosync nounwind memory(readwrite, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable
define internal fastcc void @vec(i32 noundef range(i32 93, -2147483551) %0, i32 noundef range(i32 -2147483648, 4) %1) unnamed_addr #2 {
  %3 = icmp sgt i32 %0, 0
  br i1 %3, label %4, label %43

4:                                                ; preds = %2
  %5 = sitofp i32 %1 to float
  %6 = zext nneg i32 %0 to i64
  %7 = and i64 %6, 2147483646
  %8 = insertelement <2 x float> poison, float %5, i64 0
  %9 = shufflevector <2 x float> %8, <2 x float> poison, <2 x i32> zeroinitializer
  %10 = insertelement <2 x i32> poison, i32 %1, i64 0
  %11 = shufflevector <2 x i32> %10, <2 x i32> poison, <2 x i32> zeroinitializer
  br label %12

12:                                               ; preds = %12, %4
  %13 = phi i64 [ 0, %4 ], [ %38, %12 ]
  %14 = phi <2 x i64> [ <i64 0, i64 1>, %4 ], [ %39, %12 ]
  %15 = getelementptr inbounds nuw float, ptr @B, i64 %13
  %16 = load <2 x float>, ptr %15, align 8
  %17 = fmul <2 x float> %16, %9
  %18 = getelementptr inbounds nuw float, ptr @A, i64 %13
  %19 = load <2 x float>, ptr %18, align 8
  %20 = fadd <2 x float> %17, %19
  store <2 x float> %20, ptr %18, align 8
  %21 = getelementptr inbounds nuw i32, ptr @I, i64 %13
  %22 = load <2 x i32>, ptr %21, align 8
  %23 = icmp sgt <2 x i32> %22, %11
  %24 = sub <2 x i32> %22, %11
  %25 = mul <2 x i32> %22, splat (i32 3)
  %26 = select <2 x i1> %23, <2 x i32> %24, <2 x i32> %25
  store <2 x i32> %26, ptr %21, align 8
  %27 = lshr <2 x i32> %26, splat (i32 3)
  %28 = trunc <2 x i32> %27 to <2 x i16>
  %29 = getelementptr inbounds nuw i16, ptr @S, i64 %13
  store <2 x i16> %28, ptr %29, align 4
  %30 = getelementptr inbounds nuw i8, ptr @U, i64 %13
  %31 = load <2 x i8>, ptr %30, align 2
  %32 = zext <2 x i8> %31 to <2 x i64>
  %33 = and <2 x i64> %14, splat (i64 31)
  %34 = shl nuw nsw <2 x i64> %32, %33
  %35 = getelementptr inbounds nuw i64, ptr @L, i64 %13
  %36 = load <2 x i64>, ptr %35, align 16
  %37 = add <2 x i64> %34, %36
  store <2 x i64> %37, ptr %35, align 16
  %38 = add nuw i64 %13, 2
  %39 = add nuw nsw <2 x i64> %14, splat (i64 2)
  %40 = icmp eq i64 %38, %7
  br i1 %40, label %41, label %12

41:                                               ; preds = %12
  %42 = icmp eq i64 %7, %6
  br i1 %42, label %43, label %44

43:                                               ; preds = %44, %41, %2
  ret void

44:                                               ; preds = %41, %44
  %45 = phi i64 [ %69, %44 ], [ %7, %41 ]
  %46 = getelementptr inbounds nuw float, ptr @B, i64 %45
  %47 = load float, ptr %46, align 4
  %48 = fmul float %47, %5
  %49 = getelementptr inbounds nuw float, ptr @A, i64 %45
  %50 = load float, ptr %49, align 4
  %51 = fadd float %48, %50
  store float %51, ptr %49, align 4
  %52 = getelementptr inbounds nuw i32, ptr @I, i64 %45
  %53 = load i32, ptr %52, align 4
  %54 = icmp sgt i32 %53, %1
  %55 = sub i32 %53, %1
  %56 = mul i32 %53, 3
  %57 = select i1 %54, i32 %55, i32 %56
  store i32 %57, ptr %52, align 4
  %58 = lshr i32 %57, 3
  %59 = trunc i32 %58 to i16
  %60 = getelementptr inbounds nuw i16, ptr @S, i64 %45
  store i16 %59, ptr %60, align 2
  %61 = getelementptr inbounds nuw i8, ptr @U, i64 %45
  %62 = load i8, ptr %61, align 1
  %63 = zext i8 %62 to i64
  %64 = and i64 %45, 31
  %65 = shl nuw nsw i64 %63, %64
  %66 = getelementptr inbounds nuw i64, ptr @L, i64 %45
  %67 = load i64, ptr %66, align 8
  %68 = add i64 %65, %67
  store i64 %68, ptr %66, align 8
  %69 = add nuw nsw i64 %45, 1
  %70 = icmp eq i64 %69, %6
  br i1 %70, label %43, label %44
}

; Function Attrs: nofree noinline norecurse nosync nounwind memory(read, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable
define internal fastcc i32 @red(i32 noundef %0) unnamed_addr #3 {
  %2 = icmp sgt i32 %0, 0
  br i1 %2, label %3, label %61

3:                                                ; preds = %1
  %4 = zext nneg i32 %0 to i64
  %5 = icmp ult i32 %0, 8
  br i1 %5, label %50, label %6

6:                                                ; preds = %3
  %7 = and i64 %4, 2147483640
  br label %8

8:                                                ; preds = %8, %6
  %9 = phi i64 [ 0, %6 ], [ %40, %8 ]
  %10 = phi <4 x i32> [ zeroinitializer, %6 ], [ %38, %8 ]
  %11 = phi <4 x i32> [ zeroinitializer, %6 ], [ %39, %8 ]
  %12 = phi <4 x i32> [ splat (i32 -100000), %6 ], [ %30, %8 ]
  %13 = phi <4 x i32> [ splat (i32 -100000), %6 ], [ %31, %8 ]
  %14 = phi <4 x i32> [ zeroinitializer, %6 ], [ %28, %8 ]
  %15 = phi <4 x i32> [ zeroinitializer, %6 ], [ %29, %8 ]
  %16 = getelementptr inbounds nuw i32, ptr @I, i64 %9
  %17 = getelementptr inbounds nuw i8, ptr %16, i64 16
  %18 = load <4 x i32>, ptr %16, align 16
  %19 = load <4 x i32>, ptr %17, align 16
  %20 = getelementptr inbounds nuw i16, ptr @S, i64 %9
  %21 = getelementptr inbounds nuw i8, ptr %20, i64 8
  %22 = load <4 x i16>, ptr %20, align 16
  %23 = load <4 x i16>, ptr %21, align 8
  %24 = sext <4 x i16> %22 to <4 x i32>
  %25 = sext <4 x i16> %23 to <4 x i32>
  %26 = mul <4 x i32> %18, %24
  %27 = mul <4 x i32> %19, %25
  %28 = add <4 x i32> %26, %14
  %29 = add <4 x i32> %27, %15
  %30 = tail call <4 x i32> @llvm.smax.v4i32(<4 x i32> %18, <4 x i32> %12)
  %31 = tail call <4 x i32> @llvm.smax.v4i32(<4 x i32> %19, <4 x i32> %13)
  %32 = getelementptr inbounds nuw i8, ptr @U, i64 %9
  %33 = getelementptr inbounds nuw i8, ptr %32, i64 4
  %34 = load <4 x i8>, ptr %32, align 8
  %35 = load <4 x i8>, ptr %33, align 4
  %36 = zext <4 x i8> %34 to <4 x i32>
  %37 = zext <4 x i8> %35 to <4 x i32>
  %38 = xor <4 x i32> %10, %36
  %39 = xor <4 x i32> %11, %37
  %40 = add nuw i64 %9, 8
  %41 = icmp eq i64 %40, %7
  br i1 %41, label %42, label %8

42:                                               ; preds = %8
  %43 = xor <4 x i32> %39, %38
  %44 = tail call i32 @llvm.vector.reduce.xor.v4i32(<4 x i32> %43)
  %45 = tail call <4 x i32> @llvm.smax.v4i32(<4 x i32> %30, <4 x i32> %31)
  %46 = tail call i32 @llvm.vector.reduce.smax.v4i32(<4 x i32> %45)
  %47 = add <4 x i32> %29, %28
  %48 = tail call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %47)
  %49 = icmp eq i64 %7, %4
  br i1 %49, label %55, label %50

50:                                               ; preds = %3, %42
  %51 = phi i64 [ 0, %3 ], [ %7, %42 ]
  %52 = phi i32 [ 0, %3 ], [ %44, %42 ]
  %53 = phi i32 [ -100000, %3 ], [ %46, %42 ]
  %54 = phi i32 [ 0, %3 ], [ %48, %42 ]
  br label %63

55:                                               ; preds = %63, %42
  %56 = phi i32 [ %48, %42 ], [ %74, %63 ]
  %57 = phi i32 [ %46, %42 ], [ %75, %63 ]
  %58 = phi i32 [ %44, %42 ], [ %79, %63 ]
  %59 = xor i32 %57, %56
  %60 = xor i32 %59, %58
  br label %61

61:                                               ; preds = %55, %1
  %62 = phi i32 [ -100000, %1 ], [ %60, %55 ]
  ret i32 %62

63:                                               ; preds = %50, %63
  %64 = phi i64 [ %80, %63 ], [ %51, %50 ]
  %65 = phi i32 [ %79, %63 ], [ %52, %50 ]
  %66 = phi i32 [ %75, %63 ], [ %53, %50 ]
  %67 = phi i32 [ %74, %63 ], [ %54, %50 ]
  %68 = getelementptr inbounds nuw i32, ptr @I, i64 %64
  %69 = load i32, ptr %68, align 4
  %70 = getelementptr inbounds nuw i16, ptr @S, i64 %64
  %71 = load i16, ptr %70, align 2
  %72 = sext i16 %71 to i32
  %73 = mul i32 %69, %72
  %74 = add i32 %73, %67
  %75 = tail call i32 @llvm.smax.i32(i32 %69, i32 %66)
  %76 = getelementptr inbounds nuw i8, ptr @U, i64 %64
  %77 = load i8, ptr %76, align 1
  %78 = zext i8 %77 to i32
  %79 = xor i32 %65, %78
  %80 = add nuw nsw i64 %64, 1
  %81 = icmp eq i64 %80, %4
  br i1 %81, label %55, label %63
}

; Function Attrs: nofree noinline norecurse nosync nounwind memory(readwrite, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable
define internal fastcc void @cond(i32 noundef %0) unnamed_addr #2 {
  %2 = icmp sgt i32 %0, 0
  br i1 %2, label %3, label %5

3:                                                ; preds = %1
  %4 = zext nneg i32 %0 to i64
  br label %6

5:                                                ; preds = %31, %1
  ret void

6:                                                ; preds = %3, %31
  %7 = phi i64 [ 0, %3 ], [ %32, %31 ]
  %8 = getelementptr inbounds nuw i8, ptr @U, i64 %7
  %9 = load i8, ptr %8, align 1
  %10 = zext i8 %9 to i32
  %11 = and i32 %10, 1
  %12 = icmp eq i32 %11, 0
  br i1 %12, label %20, label %13

13:                                               ; preds = %6
  %14 = getelementptr inbounds nuw double, ptr @D, i64 %7
  %15 = load double, ptr %14, align 8
  %16 = tail call double @llvm.floor.f64(double %15)
  %17 = tail call double @llvm.fabs.f64(double %15)
  %18 = tail call double @llvm.sqrt.f64(double %17)
  %19 = fadd double %16, %18
  store double %19, ptr %14, align 8
  br label %31

20:                                               ; preds = %6
  %21 = and i32 %10, 2
  %22 = icmp eq i32 %21, 0
  br i1 %22, label %31, label %23

23:                                               ; preds = %20
  %24 = getelementptr inbounds nuw i32, ptr @I, i64 %7
  %25 = load i32, ptr %24, align 4
  %26 = sitofp i32 %25 to double
  %27 = or disjoint i32 %10, 1
  %28 = uitofp nneg i32 %27 to double
  %29 = fdiv double %26, %28
  %30 = getelementptr inbounds nuw double, ptr @D, i64 %7
  store double %29, ptr %30, align 8
  br label %31

31:                                               ; preds = %13, %23, %20
  %32 = add nuw nsw i64 %7, 1
  %33 = icmp eq i64 %32, %4
  br i1 %33, label %5, label %6
}

; Function Attrs: nofree noinline norecurse nosync nounwind memory(read, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable
define internal fastcc float @fred(i32 noundef range(i32 93, -2147483551) %0) unnamed_addr #3 {
  %2 = icmp sgt i32 %0, 0
  br i1 %2, label %3, label %22

3:                                                ; preds = %1
  %4 = zext nneg i32 %0 to i64
  %5 = and i64 %4, 1
  %6 = and i64 %4, 2147483646
  br label %24

7:                                                ; preds = %24
  %8 = icmp eq i64 %5, 0
  br i1 %8, label %17, label %9

9:                                                ; preds = %7
  %10 = icmp ne i64 %5, 0
  tail call void @llvm.assume(i1 %10)
  %11 = getelementptr inbounds nuw float, ptr @A, i64 %42
  %12 = load float, ptr %11, align 4
  %13 = tail call float @llvm.maxnum.f32(float %38, float %12)
  %14 = getelementptr inbounds nuw double, ptr @D, i64 %42
  %15 = load double, ptr %14, align 8
  %16 = fadd double %41, %15
  br label %17

17:                                               ; preds = %7, %9
  %18 = phi float [ %38, %7 ], [ %13, %9 ]
  %19 = phi double [ %41, %7 ], [ %16, %9 ]
  %20 = fptrunc double %19 to float
  %21 = fadd float %18, %20
  br label %22

22:                                               ; preds = %17, %1
  %23 = phi float [ 0xC6293E5940000000, %1 ], [ %21, %17 ]
  ret float %23

24:                                               ; preds = %24, %3
  %25 = phi i64 [ 0, %3 ], [ %42, %24 ]
  %26 = phi double [ 0.000000e+00, %3 ], [ %41, %24 ]
  %27 = phi float [ 0xC6293E5940000000, %3 ], [ %38, %24 ]
  %28 = phi i64 [ 0, %3 ], [ %43, %24 ]
  %29 = getelementptr inbounds nuw float, ptr @A, i64 %25
  %30 = load float, ptr %29, align 8
  %31 = tail call float @llvm.maxnum.f32(float %27, float %30)
  %32 = getelementptr inbounds nuw double, ptr @D, i64 %25
  %33 = load double, ptr %32, align 16
  %34 = fadd double %26, %33
  %35 = or disjoint i64 %25, 1
  %36 = getelementptr inbounds nuw float, ptr @A, i64 %35
  %37 = load float, ptr %36, align 4
  %38 = tail call float @llvm.maxnum.f32(float %31, float %37)
  %39 = getelementptr inbounds nuw double, ptr @D, i64 %35
  %40 = load double, ptr %39, align 8
  %41 = fadd double %34, %40
  %42 = add nuw nsw i64 %25, 2
  %43 = add nuw nsw i64 %28, 2
  %44 = icmp eq i64 %43, %6
  br i1 %44, label %7, label %24
}

; Function Attrs: nofree noinline norecurse nosync nounwind memory(readwrite, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable
define internal fastcc void @gather(i32 noundef %0) unnamed_addr #2 {
  %2 = icmp sgt i32 %0, 0
  br i1 %2, label %3, label %45

3:                                                ; preds = %1
  %4 = zext nneg i32 %0 to i64
  br label %22

5:                                                ; preds = %22
  %6 = zext nneg i32 %0 to i64
  %7 = icmp eq i32 %0, 1
  br i1 %7, label %20, label %8

8:                                                ; preds = %5
  %9 = and i64 %4, 2147483646
  br label %10

10:                                               ; preds = %10, %8
  %11 = phi i64 [ 0, %8 ], [ %16, %10 ]
  %12 = getelementptr inbounds nuw i64, ptr @L, i64 %11
  %13 = load <2 x i64>, ptr %12, align 16
  %14 = uitofp <2 x i64> %13 to <2 x float>
  %15 = getelementptr inbounds nuw float, ptr @B, i64 %11
  store <2 x float> %14, ptr %15, align 8
  %16 = add nuw i64 %11, 2
  %17 = icmp eq i64 %16, %9
  br i1 %17, label %18, label %10

18:                                               ; preds = %10
  %19 = icmp eq i64 %9, %4
  br i1 %19, label %35, label %20

20:                                               ; preds = %5, %18
  %21 = phi i64 [ 0, %5 ], [ %9, %18 ]
  br label %37

22:                                               ; preds = %3, %22
  %23 = phi i64 [ 0, %3 ], [ %33, %22 ]
  %24 = getelementptr inbounds nuw i8, ptr @U, i64 %23
  %25 = load i8, ptr %24, align 1
  %26 = urem i8 %25, 96
  %27 = zext nneg i8 %26 to i64
  %28 = getelementptr inbounds nuw i32, ptr @I, i64 %27
  %29 = load i32, ptr %28, align 4
  %30 = getelementptr inbounds nuw i32, ptr @I, i64 %23
  %31 = load i32, ptr %30, align 4
  %32 = add i32 %31, %29
  store i32 %32, ptr %30, align 4
  %33 = add nuw nsw i64 %23, 1
  %34 = icmp eq i64 %33, %4
  br i1 %34, label %5, label %22

35:                                               ; preds = %37, %18
  %36 = zext nneg i32 %0 to i64
  br label %46

37:                                               ; preds = %20, %37
  %38 = phi i64 [ %43, %37 ], [ %21, %20 ]
  %39 = getelementptr inbounds nuw i64, ptr @L, i64 %38
  %40 = load i64, ptr %39, align 8
  %41 = uitofp i64 %40 to float
  %42 = getelementptr inbounds nuw float, ptr @B, i64 %38
  store float %41, ptr %42, align 4
  %43 = add nuw nsw i64 %38, 1
  %44 = icmp eq i64 %43, %6
  br i1 %44, label %35, label %37

45:                                               ; preds = %46, %1
  ret void

46:                                               ; preds = %35, %46
  %47 = phi i64 [ 0, %35 ], [ %61, %46 ]
  %48 = getelementptr inbounds nuw i32, ptr @I, i64 %47
  %49 = load i32, ptr %48, align 4
  %50 = tail call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %49)
  %51 = or i32 %49, 1
  %52 = tail call range(i32 0, 32) i32 @llvm.ctlz.i32(i32 %51, i1 true)
  %53 = add nuw nsw i32 %52, %50
  %54 = zext nneg i32 %53 to i64
  %55 = getelementptr inbounds nuw i64, ptr @L, i64 %47
  %56 = load i64, ptr %55, align 8
  %57 = lshr i64 %56, 60
  %58 = add nuw nsw i64 %57, %54
  %59 = trunc nuw nsw i64 %58 to i8
  %60 = getelementptr inbounds nuw i8, ptr @U, i64 %47
  store i8 %59, ptr %60, align 1
  %61 = add nuw nsw i64 %47, 1
  %62 = icmp eq i64 %61, %36
  br i1 %62, label %45, label %46
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.bswap.i64(i64) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.fshl.i64(i64, i64, i64) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare { i32, i1 } @llvm.smul.with.overflow.i32(i32, i32) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.floor.f64(double) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fabs.f64(double) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.sqrt.f64(double) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctlz.i32(i32, i1 immarg) #5

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #6

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <4 x i32> @llvm.smax.v4i32(<4 x i32>, <4 x i32>) #6

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.vector.reduce.xor.v4i32(<4 x i32>) #7

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.vector.reduce.smax.v4i32(<4 x i32>) #7

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>) #7

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #8

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nofree noinline norecurse nosync nounwind memory(readwrite, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nofree noinline norecurse nosync nounwind memory(read, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #7 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #8 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }


