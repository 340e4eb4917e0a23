target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

%struct.Node = type { ptr, i32, ptr }
%struct.Big = type { [6 x i64] }

@at = internal global i32 0, align 4
@al = internal global i64 0, align 8
@af = internal global float 0.000000e+00, align 4
@.str = private unnamed_addr constant [12 x i8] c"hello world\00", align 1
@sp.l = internal unnamed_addr constant [3 x ptr] [ptr blockaddress(@sp, %12), ptr blockaddress(@sp, %17), ptr blockaddress(@sp, %19)], align 16
@switch.table.sw = private unnamed_addr constant [13 x i32] [i32 1, i32 0, i32 0, i32 0, i32 7, i32 9, i32 0, i32 0, i32 10, i32 12, i32 14, i32 16, i32 18], align 4

; Function Attrs: nounwind uwtable
define dso_local i64 @run(i32 noundef %0) local_unnamed_addr #0 {
  %2 = alloca [8 x %struct.Node], align 16
  %3 = alloca %struct.Big, align 8
  %4 = alloca [32 x i8], align 16
  store atomic i32 0, ptr @at seq_cst, align 4
  store atomic i64 0, ptr @al seq_cst, align 8
  store atomic float 0.000000e+00, ptr @af seq_cst, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #9
  %5 = getelementptr inbounds nuw i8, ptr %2, i64 24
  store ptr %5, ptr %2, align 16
  %6 = getelementptr inbounds nuw i8, ptr %2, i64 8
  store i32 0, ptr %6, align 8
  %7 = getelementptr inbounds nuw i8, ptr %2, i64 16
  store ptr %2, ptr %7, align 16
  %8 = getelementptr inbounds nuw i8, ptr %2, i64 48
  store ptr %8, ptr %5, align 8
  %9 = getelementptr inbounds nuw i8, ptr %2, i64 32
  store i32 %0, ptr %9, align 16
  %10 = getelementptr inbounds nuw i8, ptr %2, i64 72
  %11 = getelementptr inbounds nuw i8, ptr %2, i64 40
  store ptr %10, ptr %11, align 8
  store ptr %10, ptr %8, align 16
  %12 = shl i32 %0, 1
  %13 = getelementptr inbounds nuw i8, ptr %2, i64 56
  store i32 %12, ptr %13, align 8
  %14 = getelementptr inbounds nuw i8, ptr %2, i64 144
  %15 = getelementptr inbounds nuw i8, ptr %2, i64 64
  store ptr %14, ptr %15, align 16
  %16 = getelementptr inbounds nuw i8, ptr %2, i64 96
  store ptr %16, ptr %10, align 8
  %17 = mul i32 %0, 3
  %18 = getelementptr inbounds nuw i8, ptr %2, i64 80
  store i32 %17, ptr %18, align 16
  %19 = getelementptr inbounds nuw i8, ptr %2, i64 88
  store ptr %5, ptr %19, align 8
  %20 = getelementptr inbounds nuw i8, ptr %2, i64 120
  store ptr %20, ptr %16, align 16
  %21 = shl i32 %0, 2
  %22 = getelementptr inbounds nuw i8, ptr %2, i64 104
  store i32 %21, ptr %22, align 8
  %23 = getelementptr inbounds nuw i8, ptr %2, i64 112
  store ptr %16, ptr %23, align 16
  store ptr %14, ptr %20, align 8
  %24 = mul i32 %0, 5
  %25 = getelementptr inbounds nuw i8, ptr %2, i64 128
  store i32 %24, ptr %25, align 16
  %26 = getelementptr inbounds nuw i8, ptr %2, i64 168
  %27 = getelementptr inbounds nuw i8, ptr %2, i64 136
  store ptr %26, ptr %27, align 8
  store ptr %26, ptr %14, align 16
  %28 = mul i32 %0, 6
  %29 = getelementptr inbounds nuw i8, ptr %2, i64 152
  store i32 %28, ptr %29, align 8
  %30 = getelementptr inbounds nuw i8, ptr %2, i64 160
  store ptr %8, ptr %30, align 16
  store ptr null, ptr %26, align 8
  %31 = mul i32 %0, 7
  %32 = getelementptr inbounds nuw i8, ptr %2, i64 176
  store i32 %31, ptr %32, align 16
  %33 = getelementptr inbounds nuw i8, ptr %2, i64 184
  store ptr %20, ptr %33, align 8
  %34 = sext i32 %0 to i64
  %35 = call fastcc ptr @rev(ptr noundef %2)
  br label %46

36:                                               ; preds = %46
  %37 = add i32 %0, 5
  %38 = atomicrmw add ptr @at, i32 3 seq_cst, align 4
  %39 = atomicrmw xor ptr @at, i32 %0 seq_cst, align 4
  %40 = load atomic i32, ptr @at seq_cst, align 4
  %41 = cmpxchg ptr @at, i32 %40, i32 42 seq_cst seq_cst, align 4
  %42 = load atomic i32, ptr @at seq_cst, align 4
  %43 = atomicrmw add ptr @al, i64 1099511627776 seq_cst, align 8
  %44 = load atomic i64, ptr @al seq_cst, align 8
  %45 = load atomic float, ptr @af seq_cst, align 4
  br label %58

46:                                               ; preds = %1, %46
  %47 = phi i64 [ %34, %1 ], [ %55, %46 ]
  %48 = phi ptr [ %35, %1 ], [ %56, %46 ]
  %49 = mul i64 %47, 31
  %50 = getelementptr inbounds nuw i8, ptr %48, i64 16
  %51 = load ptr, ptr %50, align 8
  %52 = getelementptr inbounds nuw i8, ptr %51, i64 8
  %53 = load i32, ptr %52, align 8
  %54 = sext i32 %53 to i64
  %55 = add i64 %49, %54
  %56 = load ptr, ptr %48, align 8
  %57 = icmp eq ptr %56, null
  br i1 %57, label %36, label %46

58:                                               ; preds = %58, %36
  %59 = phi float [ %45, %36 ], [ %66, %58 ]
  %60 = fadd float %59, 1.500000e+00
  %61 = bitcast float %59 to i32
  %62 = bitcast float %60 to i32
  %63 = cmpxchg ptr @af, i32 %61, i32 %62 seq_cst seq_cst, align 4
  %64 = extractvalue { i32, i1 } %63, 0
  %65 = extractvalue { i32, i1 } %63, 1
  %66 = bitcast i32 %64 to float
  br i1 %65, label %67, label %58

67:                                               ; preds = %58
  %68 = add i32 %0, 1
  %69 = mul i64 %55, 17
  %70 = sext i32 %68 to i64
  %71 = add i64 %69, %70
  %72 = mul i64 %71, 17
  %73 = sub i32 0, %0
  %74 = sext i32 %73 to i64
  %75 = add i64 %72, %74
  %76 = mul i64 %75, 17
  %77 = shl i32 %68, 1
  %78 = sext i32 %77 to i64
  %79 = add i64 %76, %78
  %80 = mul i64 %79, 17
  %81 = add i32 %0, 4
  %82 = sext i32 %81 to i64
  %83 = add i64 %80, %82
  %84 = mul i64 %83, 17
  %85 = sub i32 3, %0
  %86 = sext i32 %85 to i64
  %87 = add i64 %84, %86
  %88 = mul i64 %87, 17
  %89 = mul i32 %68, 5
  %90 = sext i32 %89 to i64
  %91 = add i64 %88, %90
  %92 = mul i64 %91, 17
  %93 = add i32 %0, 7
  %94 = sext i32 %93 to i64
  %95 = add i64 %92, %94
  %96 = mul i64 %95, 17
  %97 = sub i32 6, %0
  %98 = sext i32 %97 to i64
  %99 = add i64 %96, %98
  %100 = mul i64 %99, 17
  %101 = shl i32 %68, 3
  %102 = sext i32 %101 to i64
  %103 = sext i32 %37 to i64
  %104 = sext i32 %42 to i64
  %105 = add nsw i64 %102, %103
  %106 = add i64 %105, %100
  %107 = add i64 %106, %104
  %108 = xor i64 %107, %44
  %109 = load atomic float, ptr @af seq_cst, align 4
  %110 = fmul float %109, 4.000000e+00
  %111 = fptosi float %110 to i32
  %112 = sext i32 %111 to i64
  %113 = add i64 %108, %112
  %114 = sitofp i32 %0 to x86_fp80
  %115 = fadd x86_fp80 %114, 0xK3FFFA000000000000000
  %116 = call fastcc x86_fp80 @ld(x86_fp80 noundef %115)
  %117 = mul i64 %113, 31
  %118 = bitcast x86_fp80 %116 to i80
  %119 = trunc i80 %118 to i64
  %120 = and i64 %119, 255
  %121 = add i64 %117, %120
  %122 = mul i64 %121, 31
  %123 = lshr i64 %119, 8
  %124 = and i64 %123, 255
  %125 = add i64 %122, %124
  %126 = mul i64 %125, 31
  %127 = lshr i64 %119, 16
  %128 = and i64 %127, 255
  %129 = add i64 %126, %128
  %130 = mul i64 %129, 31
  %131 = lshr i64 %119, 24
  %132 = and i64 %131, 255
  %133 = add i64 %130, %132
  %134 = mul i64 %133, 31
  %135 = lshr i64 %119, 32
  %136 = and i64 %135, 255
  %137 = add i64 %134, %136
  %138 = mul i64 %137, 31
  %139 = lshr i64 %119, 40
  %140 = and i64 %139, 255
  %141 = add i64 %138, %140
  %142 = mul i64 %141, 31
  %143 = lshr i64 %119, 48
  %144 = and i64 %143, 255
  %145 = add i64 %142, %144
  %146 = mul i64 %145, 31
  %147 = lshr i64 %119, 56
  %148 = add i64 %146, %147
  %149 = mul i64 %148, 31
  %150 = lshr i80 %118, 64
  %151 = trunc nuw nsw i80 %150 to i64
  %152 = and i64 %151, 255
  %153 = add i64 %149, %152
  %154 = mul i64 %153, 31
  %155 = lshr i80 %118, 72
  %156 = trunc nuw nsw i80 %155 to i64
  %157 = fmul x86_fp80 %116, 0xK4008FA00000000000000
  %158 = fptosi x86_fp80 %157 to i64
  %159 = add i64 %156, %158
  %160 = add i64 %159, %154
  %161 = sitofp i32 %0 to float
  %162 = fadd float %161, 1.500000e+00
  %163 = fptrunc float %162 to half
  %164 = call fastcc half @hf(half noundef %163)
  %165 = bitcast half %164 to i16
  %166 = mul i64 %160, 31
  %167 = zext i16 %165 to i64
  %168 = call fastcc i32 @vla(i32 noundef %37)
  %169 = sext i32 %168 to i64
  %170 = add nsw i64 %169, %167
  %171 = add i64 %170, %166
  %172 = zext i64 %171 to i128
  %173 = shl nuw i128 %172, 64
  %174 = or disjoint i128 %173, 12345
  %175 = sext i32 %0 to i128
  %176 = shl nsw i128 %175, 70
  %177 = or disjoint i128 %176, 77
  %178 = call fastcc i128 @divs(i128 noundef %174, i128 noundef %177)
  %179 = trunc i128 %178 to i64
  %180 = add i64 %171, %179
  %181 = mul i64 %180, 3
  %182 = call fastcc i32 @sw(i32 noundef -4)
  %183 = zext nneg i32 %182 to i64
  %184 = add i64 %181, %183
  %185 = mul i64 %184, 3
  %186 = call fastcc i32 @sw(i32 noundef -3)
  %187 = zext nneg i32 %186 to i64
  %188 = add i64 %185, %187
  %189 = mul i64 %188, 3
  %190 = call fastcc i32 @sw(i32 noundef -2)
  %191 = zext nneg i32 %190 to i64
  %192 = add i64 %189, %191
  %193 = mul i64 %192, 3
  %194 = call fastcc i32 @sw(i32 noundef -1)
  %195 = zext nneg i32 %194 to i64
  %196 = add i64 %193, %195
  %197 = mul i64 %196, 3
  %198 = call fastcc i32 @sw(i32 noundef 0)
  %199 = zext nneg i32 %198 to i64
  %200 = add i64 %197, %199
  %201 = mul i64 %200, 3
  %202 = call fastcc i32 @sw(i32 noundef 1)
  %203 = zext nneg i32 %202 to i64
  %204 = add i64 %201, %203
  %205 = mul i64 %204, 3
  %206 = call fastcc i32 @sw(i32 noundef 2)
  %207 = zext nneg i32 %206 to i64
  %208 = add i64 %205, %207
  %209 = mul i64 %208, 3
  %210 = call fastcc i32 @sw(i32 noundef 3)
  %211 = zext nneg i32 %210 to i64
  %212 = add i64 %209, %211
  %213 = mul i64 %212, 3
  %214 = call fastcc i32 @sw(i32 noundef 4)
  %215 = zext nneg i32 %214 to i64
  %216 = add i64 %213, %215
  %217 = mul i64 %216, 3
  %218 = call fastcc i32 @sw(i32 noundef 5)
  %219 = zext nneg i32 %218 to i64
  %220 = add i64 %217, %219
  %221 = mul i64 %220, 3
  %222 = call fastcc i32 @sw(i32 noundef 6)
  %223 = zext nneg i32 %222 to i64
  %224 = add i64 %221, %223
  %225 = mul i64 %224, 3
  %226 = call fastcc i32 @sw(i32 noundef 7)
  %227 = zext nneg i32 %226 to i64
  %228 = add i64 %225, %227
  %229 = mul i64 %228, 3
  %230 = call fastcc i32 @sw(i32 noundef 8)
  %231 = zext nneg i32 %230 to i64
  %232 = add i64 %229, %231
  %233 = mul i64 %232, 3
  %234 = call fastcc i32 @sw(i32 noundef 9)
  %235 = zext nneg i32 %234 to i64
  %236 = add i64 %233, %235
  %237 = mul i64 %236, 3
  %238 = call fastcc i32 @sw(i32 noundef 10)
  %239 = zext nneg i32 %238 to i64
  %240 = add i64 %237, %239
  %241 = mul i64 %240, 3
  %242 = call fastcc i32 @sw(i32 noundef 11)
  %243 = zext nneg i32 %242 to i64
  %244 = tail call fastcc i32 @sp()
  %245 = sext i32 %244 to i64
  %246 = add nsw i64 %245, %243
  %247 = add i64 %246, %241
  %248 = mul i32 %0, 77
  %249 = call fastcc { i64, double } @mk(i32 noundef %248)
  %250 = extractvalue { i64, double } %249, 0
  %251 = extractvalue { i64, double } %249, 1
  %252 = mul i64 %247, 31
  %253 = shl i64 %250, 32
  %254 = ashr exact i64 %253, 32
  %255 = shl i64 %250, 24
  %256 = ashr i64 %255, 56
  %257 = shl i64 %250, 8
  %258 = ashr i64 %257, 56
  %259 = fmul double %251, 2.000000e+00
  %260 = fptosi double %259 to i32
  %261 = sext i32 %260 to i64
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #9
  store i64 1, ptr %3, align 8
  %262 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store i64 2, ptr %262, align 8
  %263 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store i64 3, ptr %263, align 8
  %264 = getelementptr inbounds nuw i8, ptr %3, i64 24
  store i64 4, ptr %264, align 8
  %265 = getelementptr inbounds nuw i8, ptr %3, i64 32
  store i64 5, ptr %265, align 8
  %266 = getelementptr inbounds nuw i8, ptr %3, i64 40
  store i64 %34, ptr %266, align 8
  %267 = call fastcc i64 @byv(ptr noundef nonnull byval(%struct.Big) align 8 %3)
  %268 = call float @llvm.copysign.f32(float 0.000000e+00, float %161)
  %269 = fpext float %268 to double
  %270 = fpext float %161 to double
  %271 = fadd double %269, 1.500000e+00
  %272 = fmul double %271, %271
  %273 = fmul double %270, %270
  %274 = fmul double %271, %270
  %275 = fsub double %272, %273
  %276 = fadd double %274, %274
  %277 = fcmp uno double %275, 0.000000e+00
  br i1 %277, label %278, label %284

278:                                              ; preds = %67
  %279 = fcmp uno double %276, 0.000000e+00
  br i1 %279, label %280, label %284

280:                                              ; preds = %278
  %281 = call { double, double } @__muldc3(double noundef %271, double noundef %270, double noundef %271, double noundef %270) #9
  %282 = extractvalue { double, double } %281, 0
  %283 = extractvalue { double, double } %281, 1
  br label %284

284:                                              ; preds = %67, %278, %280
  %285 = phi double [ %275, %67 ], [ %275, %278 ], [ %282, %280 ]
  %286 = phi double [ %276, %67 ], [ %276, %278 ], [ %283, %280 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #9
  store i32 6513249, ptr %4, align 16
  %287 = getelementptr inbounds nuw i8, ptr %4, i64 3
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 1 dereferenceable(5) %287, i8 120, i64 5, i1 false)
  %288 = getelementptr inbounds nuw i8, ptr %4, i64 8
  store i8 0, ptr %288, align 8
  %289 = insertelement <2 x double> poison, double %286, i64 0
  %290 = insertelement <2 x double> %289, double %285, i64 1
  %291 = insertelement <2 x double> poison, double %270, i64 0
  %292 = insertelement <2 x double> %291, double %271, i64 1
  %293 = fadd <2 x double> %290, %292
  %294 = fmul <2 x double> %293, <double 1.600000e+01, double 8.000000e+00>
  %295 = fptosi <2 x double> %294 to <2 x i32>
  %296 = shufflevector <2 x i32> %295, <2 x i32> poison, <2 x i32> <i32 1, i32 poison>
  %297 = add <2 x i32> %296, %295
  %298 = extractelement <2 x i32> %297, i64 0
  %299 = sext i32 %298 to i64
  %300 = add nsw i64 %254, 3
  %301 = add nsw i64 %300, %256
  %302 = add nsw i64 %301, %258
  %303 = add nsw i64 %302, %261
  %304 = add i64 %303, %267
  %305 = add i64 %304, %252
  %306 = add i64 %305, %299
  br label %315

307:                                              ; preds = %315
  %308 = ptrtoint ptr %4 to i64
  %309 = or disjoint i64 %308, 2
  %310 = inttoptr i64 %309 to ptr
  %311 = load i8, ptr %310, align 2
  %312 = sext i8 %311 to i64
  %313 = add i64 %321, 1
  %314 = add i64 %313, %312
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #9
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #9
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #9
  ret i64 %314

315:                                              ; preds = %284, %315
  %316 = phi i8 [ %323, %315 ], [ 97, %284 ]
  %317 = phi i64 [ %321, %315 ], [ %306, %284 ]
  %318 = phi ptr [ %322, %315 ], [ %4, %284 ]
  %319 = mul i64 %317, 33
  %320 = sext i8 %316 to i64
  %321 = add i64 %319, %320
  %322 = getelementptr inbounds nuw i8, ptr %318, i64 1
  %323 = load i8, ptr %322, align 1
  %324 = icmp eq i8 %323, 0
  br i1 %324, label %307, label %315
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

; Function Attrs: nofree noinline norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable
define internal fastcc noundef nonnull ptr @rev(ptr noundef nonnull %0) unnamed_addr #2 {
  br label %2

2:                                                ; preds = %1, %2
  %3 = phi ptr [ %0, %1 ], [ %5, %2 ]
  %4 = phi ptr [ null, %1 ], [ %3, %2 ]
  %5 = load ptr, ptr %3, align 8
  store ptr %4, ptr %3, align 8
  %6 = icmp eq ptr %5, null
  br i1 %6, label %7, label %2

7:                                                ; preds = %2
  ret ptr %3
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(none) uwtable
define internal fastcc x86_fp80 @ld(x86_fp80 noundef %0) unnamed_addr #3 {
  %2 = fadd x86_fp80 %0, 0xKBFFD8000000000000000
  %3 = fmul x86_fp80 %0, 0xK3FFE8000000000000000
  %4 = fadd x86_fp80 %3, 0xKBFFE8000000000000000
  %5 = fadd x86_fp80 %2, %4
  %6 = fdiv x86_fp80 %0, 0xK4000C000000000000000
  %7 = fadd x86_fp80 %6, 0xKBFFEC000000000000000
  %8 = fadd x86_fp80 %5, %7
  %9 = fmul x86_fp80 %0, 0xK3FFD8000000000000000
  %10 = fadd x86_fp80 %9, 0xKBFFF8000000000000000
  %11 = fadd x86_fp80 %8, %10
  %12 = fdiv x86_fp80 %0, 0xK4001A000000000000000
  %13 = fadd x86_fp80 %12, 0xKBFFFA000000000000000
  %14 = fadd x86_fp80 %11, %13
  %15 = fdiv x86_fp80 %0, 0xK4001C000000000000000
  %16 = fadd x86_fp80 %15, 0xKBFFFC000000000000000
  %17 = fadd x86_fp80 %14, %16
  %18 = fdiv x86_fp80 %0, 0xK4001E000000000000000
  %19 = fadd x86_fp80 %18, 0xKBFFFE000000000000000
  %20 = fadd x86_fp80 %17, %19
  %21 = fmul x86_fp80 %0, 0xK3FFC8000000000000000
  %22 = fadd x86_fp80 %21, 0xKC0008000000000000000
  %23 = fadd x86_fp80 %20, %22
  %24 = fdiv x86_fp80 %0, 0xK40029000000000000000
  %25 = fadd x86_fp80 %24, 0xKC0009000000000000000
  %26 = fadd x86_fp80 %23, %25
  ret x86_fp80 %26
}

; Function Attrs: nofree noinline norecurse nosync nounwind memory(none) uwtable
define internal fastcc half @hf(half noundef %0) unnamed_addr #4 {
  br label %3

2:                                                ; preds = %3
  ret half %10

3:                                                ; preds = %1, %3
  %4 = phi i32 [ 0, %1 ], [ %11, %3 ]
  %5 = phi half [ %0, %1 ], [ %10, %3 ]
  %6 = fpext half %5 to float
  %7 = fmul float %6, 7.500000e-01
  %8 = uitofp nneg i32 %4 to float
  %9 = fadd float %7, %8
  %10 = fptrunc float %9 to half
  %11 = add nuw nsw i32 %4, 1
  %12 = icmp eq i32 %11, 6
  br i1 %12, label %2, label %3
}

; Function Attrs: nofree noinline norecurse nosync nounwind memory(none) uwtable
define internal fastcc i32 @vla(i32 noundef %0) unnamed_addr #4 {
  %2 = zext i32 %0 to i64
  %3 = alloca i32, i64 %2, align 16
  %4 = icmp sgt i32 %0, 0
  br i1 %4, label %5, label %24

5:                                                ; preds = %1
  %6 = icmp ult i32 %0, 8
  br i1 %6, label %22, label %7

7:                                                ; preds = %5
  %8 = and i64 %2, 2147483640
  br label %9

9:                                                ; preds = %9, %7
  %10 = phi i64 [ 0, %7 ], [ %17, %9 ]
  %11 = phi <4 x i32> [ <i32 0, i32 1, i32 2, i32 3>, %7 ], [ %18, %9 ]
  %12 = add <4 x i32> %11, splat (i32 4)
  %13 = mul <4 x i32> %11, %11
  %14 = mul <4 x i32> %12, %12
  %15 = getelementptr inbounds nuw i32, ptr %3, i64 %10
  %16 = getelementptr inbounds nuw i8, ptr %15, i64 16
  store <4 x i32> %13, ptr %15, align 16
  store <4 x i32> %14, ptr %16, align 16
  %17 = add nuw i64 %10, 8
  %18 = add <4 x i32> %11, splat (i32 8)
  %19 = icmp eq i64 %17, %8
  br i1 %19, label %20, label %9

20:                                               ; preds = %9
  %21 = icmp eq i64 %8, %2
  br i1 %21, label %41, label %22

22:                                               ; preds = %5, %20
  %23 = phi i64 [ 0, %5 ], [ %8, %20 ]
  br label %34

24:                                               ; preds = %1
  %25 = add i32 %0, -1
  %26 = icmp sgt i32 %25, -1
  br i1 %26, label %27, label %61

27:                                               ; preds = %41, %24
  %28 = phi i64 [ 2147483647, %24 ], [ %43, %41 ]
  %29 = add nuw nsw i64 %28, 1
  %30 = and i64 %29, 3
  %31 = icmp samesign ult i64 %28, 3
  br i1 %31, label %46, label %32

32:                                               ; preds = %27
  %33 = and i64 %29, 4294967292
  br label %63

34:                                               ; preds = %22, %34
  %35 = phi i64 [ %39, %34 ], [ %23, %22 ]
  %36 = trunc nuw nsw i64 %35 to i32
  %37 = mul i32 %36, %36
  %38 = getelementptr inbounds nuw i32, ptr %3, i64 %35
  store i32 %37, ptr %38, align 4
  %39 = add nuw nsw i64 %35, 1
  %40 = icmp eq i64 %39, %2
  br i1 %40, label %41, label %34

41:                                               ; preds = %34, %20
  %42 = add nsw i32 %0, -1
  %43 = zext nneg i32 %42 to i64
  br label %27

44:                                               ; preds = %63
  %45 = icmp eq i64 %30, 0
  br i1 %45, label %61, label %46

46:                                               ; preds = %44, %27
  %47 = phi i64 [ %28, %27 ], [ %86, %44 ]
  %48 = phi i32 [ 0, %27 ], [ %85, %44 ]
  %49 = icmp ne i64 %30, 0
  tail call void @llvm.assume(i1 %49)
  br label %50

50:                                               ; preds = %50, %46
  %51 = phi i64 [ %58, %50 ], [ %47, %46 ]
  %52 = phi i32 [ %57, %50 ], [ %48, %46 ]
  %53 = phi i64 [ %59, %50 ], [ 0, %46 ]
  %54 = mul i32 %52, 3
  %55 = getelementptr inbounds nuw i32, ptr %3, i64 %51
  %56 = load i32, ptr %55, align 4
  %57 = add i32 %56, %54
  %58 = add nsw i64 %51, -1
  %59 = add i64 %53, 1
  %60 = icmp eq i64 %59, %30
  br i1 %60, label %61, label %50

61:                                               ; preds = %44, %50, %24
  %62 = phi i32 [ 0, %24 ], [ %85, %44 ], [ %57, %50 ]
  ret i32 %62

63:                                               ; preds = %63, %32
  %64 = phi i64 [ %28, %32 ], [ %86, %63 ]
  %65 = phi i32 [ 0, %32 ], [ %85, %63 ]
  %66 = phi i64 [ 0, %32 ], [ %87, %63 ]
  %67 = mul i32 %65, 3
  %68 = getelementptr inbounds nuw i32, ptr %3, i64 %64
  %69 = load i32, ptr %68, align 4
  %70 = add i32 %69, %67
  %71 = mul i32 %70, 3
  %72 = getelementptr i32, ptr %3, i64 %64
  %73 = getelementptr i8, ptr %72, i64 -4
  %74 = load i32, ptr %73, align 4
  %75 = add i32 %74, %71
  %76 = mul i32 %75, 3
  %77 = getelementptr i32, ptr %3, i64 %64
  %78 = getelementptr i8, ptr %77, i64 -8
  %79 = load i32, ptr %78, align 4
  %80 = add i32 %79, %76
  %81 = mul i32 %80, 3
  %82 = getelementptr i32, ptr %3, i64 %64
  %83 = getelementptr i8, ptr %82, i64 -12
  %84 = load i32, ptr %83, align 4
  %85 = add i32 %84, %81
  %86 = add nsw i64 %64, -4
  %87 = add i64 %66, 4
  %88 = icmp eq i64 %87, %33
  br i1 %88, label %44, label %63
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(none) uwtable
define internal fastcc noundef i128 @divs(i128 noundef range(i128 12345, -18446744073709535232) %0, i128 noundef range(i128 77, -1180591620717411303346) %1) unnamed_addr #3 {
  %3 = udiv i128 %0, %1
  %4 = mul i128 %3, %1
  %5 = sub i128 %0, %4
  %6 = add i128 %5, %3
  ret i128 %6
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(none) uwtable
define internal fastcc range(i32 0, 19) i32 @sw(i32 noundef range(i32 -2147483648, 12) %0) unnamed_addr #3 {
  %2 = add nsw i32 %0, 3
  %3 = icmp ult i32 %2, 13
  br i1 %3, label %4, label %8

4:                                                ; preds = %1
  %5 = zext nneg i32 %2 to i64
  %6 = getelementptr inbounds nuw i32, ptr @switch.table.sw, i64 %5
  %7 = load i32, ptr %6, align 4
  br label %8

8:                                                ; preds = %1, %4
  %9 = phi i32 [ %7, %4 ], [ 0, %1 ]
  ret i32 %9
}

; Function Attrs: nofree noinline norecurse nosync nounwind memory(none) uwtable
define internal fastcc i32 @sp() unnamed_addr #4 {
  br label %2

1:                                                ; preds = %14
  ret i32 %15

2:                                                ; preds = %0, %14
  %3 = phi i64 [ 0, %0 ], [ %7, %14 ]
  %4 = phi i32 [ 0, %0 ], [ %15, %14 ]
  %5 = getelementptr inbounds nuw i8, ptr @.str, i64 %3
  %6 = load i8, ptr %5, align 1
  %7 = add nuw nsw i64 %3, 1
  %8 = srem i8 %6, 3
  %9 = sext i8 %8 to i64
  %10 = getelementptr inbounds ptr, ptr @sp.l, i64 %9
  %11 = load ptr, ptr %10, align 8
  indirectbr ptr %11, [label %12, label %17, label %19]

12:                                               ; preds = %2
  %13 = add i32 %4, 1
  br label %14

14:                                               ; preds = %12, %17, %19
  %15 = phi i32 [ %13, %12 ], [ %18, %17 ], [ %20, %19 ]
  %16 = icmp eq i64 %7, 11
  br i1 %16, label %1, label %2

17:                                               ; preds = %2
  %18 = shl i32 %4, 1
  br label %14

19:                                               ; preds = %2
  %20 = xor i32 %4, 5
  br label %14
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(none) uwtable
define internal fastcc { i64, double } @mk(i32 noundef %0) unnamed_addr #3 {
  %2 = lshr i32 %0, 1
  %3 = lshr i32 %0, 2
  %4 = sitofp i32 %0 to double
  %5 = fmul double %4, 5.000000e-01
  %6 = and i32 %3, 255
  %7 = zext nneg i32 %6 to i64
  %8 = shl nuw nsw i64 %7, 48
  %9 = and i32 %2, 255
  %10 = zext nneg i32 %9 to i64
  %11 = shl nuw nsw i64 %10, 40
  %12 = or disjoint i64 %8, %11
  %13 = and i32 %0, 255
  %14 = zext nneg i32 %13 to i64
  %15 = shl nuw nsw i64 %14, 32
  %16 = or disjoint i64 %12, %15
  %17 = zext i32 %0 to i64
  %18 = or disjoint i64 %16, %17
  %19 = insertvalue { i64, double } poison, i64 %18, 0
  %20 = insertvalue { i64, double } %19, double %5, 1
  ret { i64, double } %20
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: read) uwtable
define internal fastcc i64 @byv(ptr noundef readonly byval(%struct.Big) align 8 captures(none) %0) unnamed_addr #5 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %3 = load i64, ptr %2, align 8
  %4 = add i64 %3, 3
  %5 = load i64, ptr %0, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %7 = load i64, ptr %6, align 8
  %8 = mul i64 %7, %4
  %9 = add i64 %8, %5
  ret i64 %9
}

declare { double, double } @__muldc3(double, double, double, double) local_unnamed_addr

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #6

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.copysign.f32(float, float) #7

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #8

attributes #0 = { nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nofree noinline norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nofree noinline norecurse nosync nounwind memory(none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: read) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #7 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #8 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #9 = { nounwind }


