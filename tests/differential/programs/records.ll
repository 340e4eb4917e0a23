target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

%struct.Rec = type { i8, [5 x i16], double, %struct.anon, float, ptr }
%struct.anon = type { i32 }
%union.U = type { float }

@K = internal global [64 x i32] zeroinitializer, align 16
@recs = internal global [6 x %struct.Rec] zeroinitializer, align 16
@names = internal global [3 x ptr] [ptr @.str, ptr @.str.1, ptr @.str.2], align 16
@.str = private unnamed_addr constant [6 x i8] c"alpha\00", align 1
@.str.1 = private unnamed_addr constant [5 x i8] c"beta\00", align 1
@.str.2 = private unnamed_addr constant [6 x i8] c"gamma\00", align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i64 @run(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i64, align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca ptr, align 8
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca ptr, align 8
  %11 = alloca i32, align 4
  %12 = alloca i64, align 8
  %13 = alloca %union.U, align 4
  %14 = alloca i32, align 4
  %15 = alloca [40 x i8], align 16
  %16 = alloca i32, align 4
  %17 = alloca i64, align 8
  %18 = alloca i32, align 4
  %19 = alloca float, align 4
  %20 = alloca i32, align 4
  %21 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  store i64 1469598103934665603, ptr %3, align 8
  %22 = load i32, ptr %2, align 4
  %23 = mul i32 %22, -1640531535
  %24 = add i32 %23, 1
  store i32 %24, ptr %4, align 4
  store i32 0, ptr %5, align 4
  br label %25

25:                                               ; preds = %45, %1
  %26 = load i32, ptr %5, align 4
  %27 = icmp slt i32 %26, 64
  br i1 %27, label %28, label %48

28:                                               ; preds = %25
  %29 = load i32, ptr %4, align 4
  %30 = shl i32 %29, 13
  %31 = load i32, ptr %4, align 4
  %32 = xor i32 %31, %30
  store i32 %32, ptr %4, align 4
  %33 = load i32, ptr %4, align 4
  %34 = lshr i32 %33, 17
  %35 = load i32, ptr %4, align 4
  %36 = xor i32 %35, %34
  store i32 %36, ptr %4, align 4
  %37 = load i32, ptr %4, align 4
  %38 = shl i32 %37, 5
  %39 = load i32, ptr %4, align 4
  %40 = xor i32 %39, %38
  store i32 %40, ptr %4, align 4
  %41 = load i32, ptr %4, align 4
  %42 = load i32, ptr %5, align 4
  %43 = sext i32 %42 to i64
  %44 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %43
  store i32 %41, ptr %44, align 4
  br label %45

45:                                               ; preds = %28
  %46 = load i32, ptr %5, align 4
  %47 = add nsw i32 %46, 1
  store i32 %47, ptr %5, align 4
  br label %25

48:                                               ; preds = %25
  store i32 0, ptr %6, align 4
  br label %49

49:                                               ; preds = %145, %48
  %50 = load i32, ptr %6, align 4
  %51 = icmp slt i32 %50, 6
  br i1 %51, label %52, label %148

52:                                               ; preds = %49
  %53 = load i32, ptr %6, align 4
  %54 = sext i32 %53 to i64
  %55 = getelementptr inbounds [6 x %struct.Rec], ptr @recs, i64 0, i64 %54
  store ptr %55, ptr %7, align 8
  %56 = load ptr, ptr %7, align 8
  call void @llvm.memset.p0.i64(ptr align 8 %56, i8 0, i64 40, i1 false)
  %57 = load i32, ptr %6, align 4
  %58 = sext i32 %57 to i64
  %59 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %58
  %60 = load i32, ptr %59, align 4
  %61 = trunc i32 %60 to i8
  %62 = load ptr, ptr %7, align 8
  %63 = getelementptr inbounds nuw %struct.Rec, ptr %62, i32 0, i32 0
  store i8 %61, ptr %63, align 8
  store i32 0, ptr %8, align 4
  br label %64

64:                                               ; preds = %82, %52
  %65 = load i32, ptr %8, align 4
  %66 = icmp slt i32 %65, 5
  br i1 %66, label %67, label %85

67:                                               ; preds = %64
  %68 = load i32, ptr %6, align 4
  %69 = load i32, ptr %8, align 4
  %70 = add nsw i32 %68, %69
  %71 = sext i32 %70 to i64
  %72 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %71
  %73 = load i32, ptr %72, align 4
  %74 = load i32, ptr %8, align 4
  %75 = lshr i32 %73, %74
  %76 = trunc i32 %75 to i16
  %77 = load ptr, ptr %7, align 8
  %78 = getelementptr inbounds nuw %struct.Rec, ptr %77, i32 0, i32 1
  %79 = load i32, ptr %8, align 4
  %80 = sext i32 %79 to i64
  %81 = getelementptr inbounds [5 x i16], ptr %78, i64 0, i64 %80
  store i16 %76, ptr %81, align 2
  br label %82

82:                                               ; preds = %67
  %83 = load i32, ptr %8, align 4
  %84 = add nsw i32 %83, 1
  store i32 %84, ptr %8, align 4
  br label %64

85:                                               ; preds = %64
  %86 = load i32, ptr %6, align 4
  %87 = add nsw i32 %86, 7
  %88 = sext i32 %87 to i64
  %89 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %88
  %90 = load i32, ptr %89, align 4
  %91 = sitofp i32 %90 to double
  %92 = fdiv double %91, 3.000000e+00
  %93 = load ptr, ptr %7, align 8
  %94 = getelementptr inbounds nuw %struct.Rec, ptr %93, i32 0, i32 2
  store double %92, ptr %94, align 8
  %95 = load i32, ptr %6, align 4
  %96 = sext i32 %95 to i64
  %97 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %96
  %98 = load i32, ptr %97, align 4
  %99 = load ptr, ptr %7, align 8
  %100 = getelementptr inbounds nuw %struct.Rec, ptr %99, i32 0, i32 3
  %101 = load i32, ptr %100, align 8
  %102 = and i32 %98, 31
  %103 = and i32 %101, -32
  %104 = or i32 %103, %102
  store i32 %104, ptr %100, align 8
  %105 = load i32, ptr %6, align 4
  %106 = sext i32 %105 to i64
  %107 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %106
  %108 = load i32, ptr %107, align 4
  %109 = lshr i32 %108, 5
  %110 = load ptr, ptr %7, align 8
  %111 = getelementptr inbounds nuw %struct.Rec, ptr %110, i32 0, i32 3
  %112 = load i32, ptr %111, align 8
  %113 = and i32 %109, 2047
  %114 = shl i32 %113, 5
  %115 = and i32 %112, -65505
  %116 = or i32 %115, %114
  store i32 %116, ptr %111, align 8
  %117 = load i32, ptr %6, align 4
  %118 = sext i32 %117 to i64
  %119 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %118
  %120 = load i32, ptr %119, align 4
  %121 = lshr i32 %120, 16
  %122 = load ptr, ptr %7, align 8
  %123 = getelementptr inbounds nuw %struct.Rec, ptr %122, i32 0, i32 3
  %124 = load i32, ptr %123, align 8
  %125 = and i32 %121, 65535
  %126 = shl i32 %125, 16
  %127 = and i32 %124, 65535
  %128 = or i32 %127, %126
  store i32 %128, ptr %123, align 8
  %129 = load i32, ptr %6, align 4
  %130 = add nsw i32 %129, 9
  %131 = sext i32 %130 to i64
  %132 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %131
  %133 = load i32, ptr %132, align 4
  %134 = uitofp i32 %133 to float
  %135 = fmul float %134, 0x3FD7AE1480000000
  %136 = load ptr, ptr %7, align 8
  %137 = getelementptr inbounds nuw %struct.Rec, ptr %136, i32 0, i32 4
  store float %135, ptr %137, align 4
  %138 = load i32, ptr %6, align 4
  %139 = srem i32 %138, 3
  %140 = sext i32 %139 to i64
  %141 = getelementptr inbounds [3 x ptr], ptr @names, i64 0, i64 %140
  %142 = load ptr, ptr %141, align 8
  %143 = load ptr, ptr %7, align 8
  %144 = getelementptr inbounds nuw %struct.Rec, ptr %143, i32 0, i32 5
  store ptr %142, ptr %144, align 8
  br label %145

145:                                              ; preds = %85
  %146 = load i32, ptr %6, align 4
  %147 = add nsw i32 %146, 1
  store i32 %147, ptr %6, align 4
  br label %49

148:                                              ; preds = %49
  call void @sort(ptr noundef @recs, i32 noundef 6, ptr noundef @cmp)
  store i32 0, ptr %9, align 4
  br label %149

149:                                              ; preds = %222, %148
  %150 = load i32, ptr %9, align 4
  %151 = icmp slt i32 %150, 6
  br i1 %151, label %152, label %225

152:                                              ; preds = %149
  %153 = load i32, ptr %9, align 4
  %154 = sext i32 %153 to i64
  %155 = getelementptr inbounds [6 x %struct.Rec], ptr @recs, i64 0, i64 %154
  store ptr %155, ptr %10, align 8
  %156 = load i64, ptr %3, align 8
  %157 = load ptr, ptr %10, align 8
  %158 = getelementptr inbounds nuw %struct.Rec, ptr %157, i32 0, i32 0
  %159 = load i8, ptr %158, align 8
  %160 = zext i8 %159 to i64
  %161 = xor i64 %156, %160
  %162 = mul i64 %161, 1099511628211
  store i64 %162, ptr %3, align 8
  store i32 0, ptr %11, align 4
  br label %163

163:                                              ; preds = %177, %152
  %164 = load i32, ptr %11, align 4
  %165 = icmp slt i32 %164, 5
  br i1 %165, label %166, label %180

166:                                              ; preds = %163
  %167 = load i64, ptr %3, align 8
  %168 = load ptr, ptr %10, align 8
  %169 = getelementptr inbounds nuw %struct.Rec, ptr %168, i32 0, i32 1
  %170 = load i32, ptr %11, align 4
  %171 = sext i32 %170 to i64
  %172 = getelementptr inbounds [5 x i16], ptr %169, i64 0, i64 %171
  %173 = load i16, ptr %172, align 2
  %174 = zext i16 %173 to i64
  %175 = xor i64 %167, %174
  %176 = mul i64 %175, 1099511628211
  store i64 %176, ptr %3, align 8
  br label %177

177:                                              ; preds = %166
  %178 = load i32, ptr %11, align 4
  %179 = add nsw i32 %178, 1
  store i32 %179, ptr %11, align 4
  br label %163

180:                                              ; preds = %163
  %181 = load ptr, ptr %10, align 8
  %182 = getelementptr inbounds nuw %struct.Rec, ptr %181, i32 0, i32 2
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %12, ptr align 8 %182, i64 8, i1 false)
  %183 = load i64, ptr %3, align 8
  %184 = load i64, ptr %12, align 8
  %185 = xor i64 %183, %184
  %186 = mul i64 %185, 1099511628211
  store i64 %186, ptr %3, align 8
  %187 = load i64, ptr %3, align 8
  %188 = load ptr, ptr %10, align 8
  %189 = getelementptr inbounds nuw %struct.Rec, ptr %188, i32 0, i32 3
  %190 = load i32, ptr %189, align 8
  %191 = lshr i32 %190, 5
  %192 = and i32 %191, 2047
  %193 = zext i32 %192 to i64
  %194 = xor i64 %187, %193
  %195 = mul i64 %194, 1099511628211
  store i64 %195, ptr %3, align 8
  %196 = load ptr, ptr %10, align 8
  %197 = getelementptr inbounds nuw %struct.Rec, ptr %196, i32 0, i32 4
  %198 = load float, ptr %197, align 4
  store float %198, ptr %13, align 4
  %199 = load i64, ptr %3, align 8
  %200 = getelementptr inbounds [4 x i8], ptr %13, i64 0, i64 0
  %201 = load i8, ptr %200, align 4
  %202 = zext i8 %201 to i64
  %203 = xor i64 %199, %202
  %204 = getelementptr inbounds [4 x i8], ptr %13, i64 0, i64 3
  %205 = load i8, ptr %204, align 1
  %206 = zext i8 %205 to i32
  %207 = shl i32 %206, 8
  %208 = sext i32 %207 to i64
  %209 = xor i64 %203, %208
  %210 = mul i64 %209, 1099511628211
  store i64 %210, ptr %3, align 8
  %211 = load ptr, ptr %10, align 8
  %212 = getelementptr inbounds nuw %struct.Rec, ptr %211, i32 0, i32 5
  %213 = load ptr, ptr %212, align 8
  %214 = load i32, ptr %9, align 4
  %215 = srem i32 %214, 4
  %216 = sext i32 %215 to i64
  %217 = getelementptr inbounds i8, ptr %213, i64 %216
  %218 = load i8, ptr %217, align 1
  %219 = sext i8 %218 to i64
  %220 = load i64, ptr %3, align 8
  %221 = xor i64 %220, %219
  store i64 %221, ptr %3, align 8
  br label %222

222:                                              ; preds = %180
  %223 = load i32, ptr %9, align 4
  %224 = add nsw i32 %223, 1
  store i32 %224, ptr %9, align 4
  br label %149

225:                                              ; preds = %149
  store i32 0, ptr %14, align 4
  br label %226

226:                                              ; preds = %297, %225
  %227 = load i32, ptr %14, align 4
  %228 = icmp slt i32 %227, 64
  br i1 %228, label %229, label %300

229:                                              ; preds = %226
  %230 = load i32, ptr %14, align 4
  %231 = sext i32 %230 to i64
  %232 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %231
  %233 = load i32, ptr %232, align 4
  %234 = load i32, ptr %14, align 4
  %235 = mul nsw i32 %234, 7
  %236 = srem i32 %235, 31
  %237 = add nsw i32 %236, 1
  %238 = call i32 @rotr(i32 noundef %233, i32 noundef %237)
  %239 = zext i32 %238 to i64
  %240 = load i64, ptr %3, align 8
  %241 = xor i64 %240, %239
  store i64 %241, ptr %3, align 8
  %242 = load i64, ptr %3, align 8
  %243 = mul i64 %242, 31
  %244 = load i32, ptr %14, align 4
  %245 = sext i32 %244 to i64
  %246 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %245
  %247 = load i32, ptr %246, align 4
  %248 = sext i32 %247 to i64
  %249 = srem i64 %248, 1000
  %250 = add i64 %243, %249
  %251 = load i32, ptr %14, align 4
  %252 = sext i32 %251 to i64
  %253 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %252
  %254 = load i32, ptr %253, align 4
  %255 = load i32, ptr %14, align 4
  %256 = sub nsw i32 63, %255
  %257 = sext i32 %256 to i64
  %258 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %257
  %259 = load i32, ptr %258, align 4
  %260 = and i32 %259, 255
  %261 = add i32 %260, 1
  %262 = udiv i32 %254, %261
  %263 = zext i32 %262 to i64
  %264 = add i64 %250, %263
  store i64 %264, ptr %3, align 8
  %265 = load i32, ptr %14, align 4
  %266 = sext i32 %265 to i64
  %267 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %266
  %268 = load i32, ptr %267, align 4
  %269 = urem i32 %268, 7
  switch i32 %269, label %291 [
    i32 0, label %270
    i32 1, label %273
    i32 3, label %281
  ]

270:                                              ; preds = %229
  %271 = load i64, ptr %3, align 8
  %272 = add i64 %271, 3
  store i64 %272, ptr %3, align 8
  br label %296

273:                                              ; preds = %229
  %274 = load i32, ptr %14, align 4
  %275 = sext i32 %274 to i64
  %276 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %275
  %277 = load i32, ptr %276, align 4
  %278 = zext i32 %277 to i64
  %279 = load i64, ptr %3, align 8
  %280 = xor i64 %279, %278
  store i64 %280, ptr %3, align 8
  br label %296

281:                                              ; preds = %229
  %282 = load i32, ptr %14, align 4
  %283 = sext i32 %282 to i64
  %284 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %283
  %285 = load i32, ptr %284, align 4
  %286 = urem i32 %285, 9
  %287 = call i32 @fib(i32 noundef %286)
  %288 = sext i32 %287 to i64
  %289 = load i64, ptr %3, align 8
  %290 = sub i64 %289, %288
  store i64 %290, ptr %3, align 8
  br label %296

291:                                              ; preds = %229
  %292 = load i32, ptr %14, align 4
  %293 = sext i32 %292 to i64
  %294 = load i64, ptr %3, align 8
  %295 = add i64 %294, %293
  store i64 %295, ptr %3, align 8
  br label %296

296:                                              ; preds = %291, %281, %273, %270
  br label %297

297:                                              ; preds = %296
  %298 = load i32, ptr %14, align 4
  %299 = add nsw i32 %298, 1
  store i32 %299, ptr %14, align 4
  br label %226

300:                                              ; preds = %226
  store i32 0, ptr %16, align 4
  %301 = load i64, ptr %3, align 8
  store i64 %301, ptr %17, align 8
  br label %302

302:                                              ; preds = %313, %300
  %303 = load i64, ptr %17, align 8
  %304 = urem i64 %303, 10
  %305 = add i64 48, %304
  %306 = trunc i64 %305 to i8
  %307 = load i32, ptr %16, align 4
  %308 = add nsw i32 %307, 1
  store i32 %308, ptr %16, align 4
  %309 = sext i32 %307 to i64
  %310 = getelementptr inbounds [40 x i8], ptr %15, i64 0, i64 %309
  store i8 %306, ptr %310, align 1
  %311 = load i64, ptr %17, align 8
  %312 = udiv i64 %311, 10
  store i64 %312, ptr %17, align 8
  br label %313

313:                                              ; preds = %302
  %314 = load i64, ptr %17, align 8
  %315 = icmp ne i64 %314, 0
  br i1 %315, label %302, label %316

316:                                              ; preds = %313
  %317 = getelementptr inbounds [40 x i8], ptr %15, i64 0, i64 0
  %318 = getelementptr inbounds i8, ptr %317, i64 3
  %319 = getelementptr inbounds [40 x i8], ptr %15, i64 0, i64 0
  %320 = load i32, ptr %16, align 4
  %321 = sext i32 %320 to i64
  call void @llvm.memmove.p0.p0.i64(ptr align 1 %318, ptr align 16 %319, i64 %321, i1 false)
  store i32 0, ptr %18, align 4
  br label %322

322:                                              ; preds = %349, %316
  %323 = load i32, ptr %18, align 4
  %324 = load i32, ptr %16, align 4
  %325 = add nsw i32 %324, 3
  %326 = icmp slt i32 %323, %325
  br i1 %326, label %327, label %330

327:                                              ; preds = %322
  %328 = load i32, ptr %18, align 4
  %329 = icmp slt i32 %328, 40
  br label %330

330:                                              ; preds = %327, %322
  %331 = phi i1 [ false, %322 ], [ %329, %327 ]
  br i1 %331, label %332, label %352

332:                                              ; preds = %330
  %333 = load i32, ptr %18, align 4
  %334 = icmp sge i32 %333, 3
  br i1 %334, label %339, label %335

335:                                              ; preds = %332
  %336 = load i32, ptr %18, align 4
  %337 = load i32, ptr %16, align 4
  %338 = icmp slt i32 %336, %337
  br i1 %338, label %339, label %348

339:                                              ; preds = %335, %332
  %340 = load i64, ptr %3, align 8
  %341 = mul i64 %340, 33
  %342 = load i32, ptr %18, align 4
  %343 = sext i32 %342 to i64
  %344 = getelementptr inbounds [40 x i8], ptr %15, i64 0, i64 %343
  %345 = load i8, ptr %344, align 1
  %346 = sext i8 %345 to i64
  %347 = add i64 %341, %346
  store i64 %347, ptr %3, align 8
  br label %348

348:                                              ; preds = %339, %335
  br label %349

349:                                              ; preds = %348
  %350 = load i32, ptr %18, align 4
  %351 = add nsw i32 %350, 1
  store i32 %351, ptr %18, align 4
  br label %322

352:                                              ; preds = %330
  store float 0.000000e+00, ptr %19, align 4
  store i32 0, ptr %20, align 4
  br label %353

353:                                              ; preds = %368, %352
  %354 = load i32, ptr %20, align 4
  %355 = icmp slt i32 %354, 64
  br i1 %355, label %356, label %371

356:                                              ; preds = %353
  %357 = load i32, ptr %20, align 4
  %358 = sext i32 %357 to i64
  %359 = getelementptr inbounds [64 x i32], ptr @K, i64 0, i64 %358
  %360 = load i32, ptr %359, align 4
  %361 = uitofp i32 %360 to float
  %362 = load i32, ptr %20, align 4
  %363 = add nsw i32 %362, 1
  %364 = sitofp i32 %363 to float
  %365 = fdiv float %361, %364
  %366 = load float, ptr %19, align 4
  %367 = fadd float %366, %365
  store float %367, ptr %19, align 4
  br label %368

368:                                              ; preds = %356
  %369 = load i32, ptr %20, align 4
  %370 = add nsw i32 %369, 1
  store i32 %370, ptr %20, align 4
  br label %353

371:                                              ; preds = %353
  %372 = load float, ptr %19, align 4
  %373 = fcmp ogt float %372, 1.000000e+06
  br i1 %373, label %374, label %378

374:                                              ; preds = %371
  %375 = load float, ptr %19, align 4
  %376 = fdiv float %375, 1.000000e+05
  %377 = fptosi float %376 to i32
  br label %379

378:                                              ; preds = %371
  br label %379

379:                                              ; preds = %378, %374
  %380 = phi i32 [ %377, %374 ], [ -1, %378 ]
  store i32 %380, ptr %21, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %4, ptr align 4 %19, i64 4, i1 false)
  %381 = load i64, ptr %3, align 8
  %382 = load i32, ptr %4, align 4
  %383 = zext i32 %382 to i64
  %384 = xor i64 %381, %383
  %385 = load i32, ptr %21, align 4
  %386 = sext i32 %385 to i64
  %387 = shl i64 %386, 40
  %388 = xor i64 %384, %387
  ret i64 %388
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #1

; Function Attrs: noinline nounwind optnone uwtable
define internal void @sort(ptr noundef %0, i32 noundef %1, ptr noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  %8 = alloca %struct.Rec, align 8
  %9 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store i32 %1, ptr %5, align 4
  store ptr %2, ptr %6, align 8
  store i32 1, ptr %7, align 4
  br label %10

10:                                               ; preds = %51, %3
  %11 = load i32, ptr %7, align 4
  %12 = load i32, ptr %5, align 4
  %13 = icmp slt i32 %11, %12
  br i1 %13, label %14, label %54

14:                                               ; preds = %10
  %15 = load ptr, ptr %4, align 8
  %16 = load i32, ptr %7, align 4
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds %struct.Rec, ptr %15, i64 %17
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %8, ptr align 8 %18, i64 40, i1 false)
  %19 = load i32, ptr %7, align 4
  store i32 %19, ptr %9, align 4
  br label %20

20:                                               ; preds = %34, %14
  %21 = load i32, ptr %9, align 4
  %22 = icmp sgt i32 %21, 0
  br i1 %22, label %23, label %32

23:                                               ; preds = %20
  %24 = load ptr, ptr %6, align 8
  %25 = load ptr, ptr %4, align 8
  %26 = load i32, ptr %9, align 4
  %27 = sub nsw i32 %26, 1
  %28 = sext i32 %27 to i64
  %29 = getelementptr inbounds %struct.Rec, ptr %25, i64 %28
  %30 = call i32 %24(ptr noundef %8, ptr noundef %29)
  %31 = icmp slt i32 %30, 0
  br label %32

32:                                               ; preds = %23, %20
  %33 = phi i1 [ false, %20 ], [ %31, %23 ]
  br i1 %33, label %34, label %46

34:                                               ; preds = %32
  %35 = load ptr, ptr %4, align 8
  %36 = load i32, ptr %9, align 4
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds %struct.Rec, ptr %35, i64 %37
  %39 = load ptr, ptr %4, align 8
  %40 = load i32, ptr %9, align 4
  %41 = sub nsw i32 %40, 1
  %42 = sext i32 %41 to i64
  %43 = getelementptr inbounds %struct.Rec, ptr %39, i64 %42
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %38, ptr align 8 %43, i64 40, i1 false)
  %44 = load i32, ptr %9, align 4
  %45 = add nsw i32 %44, -1
  store i32 %45, ptr %9, align 4
  br label %20

46:                                               ; preds = %32
  %47 = load ptr, ptr %4, align 8
  %48 = load i32, ptr %9, align 4
  %49 = sext i32 %48 to i64
  %50 = getelementptr inbounds %struct.Rec, ptr %47, i64 %49
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %50, ptr align 8 %8, i64 40, i1 false)
  br label %51

51:                                               ; preds = %46
  %52 = load i32, ptr %7, align 4
  %53 = add nsw i32 %52, 1
  store i32 %53, ptr %7, align 4
  br label %10

54:                                               ; preds = %10
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @cmp(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr inbounds nuw %struct.Rec, ptr %5, i32 0, i32 2
  %7 = load double, ptr %6, align 8
  %8 = load ptr, ptr %4, align 8
  %9 = getelementptr inbounds nuw %struct.Rec, ptr %8, i32 0, i32 2
  %10 = load double, ptr %9, align 8
  %11 = fcmp olt double %7, %10
  br i1 %11, label %12, label %13

12:                                               ; preds = %2
  br label %22

13:                                               ; preds = %2
  %14 = load ptr, ptr %3, align 8
  %15 = getelementptr inbounds nuw %struct.Rec, ptr %14, i32 0, i32 2
  %16 = load double, ptr %15, align 8
  %17 = load ptr, ptr %4, align 8
  %18 = getelementptr inbounds nuw %struct.Rec, ptr %17, i32 0, i32 2
  %19 = load double, ptr %18, align 8
  %20 = fcmp ogt double %16, %19
  %21 = zext i1 %20 to i32
  br label %22

22:                                               ; preds = %13, %12
  %23 = phi i32 [ -1, %12 ], [ %21, %13 ]
  ret i32 %23
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #2

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @rotr(i32 noundef %0, i32 noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  store i32 %0, ptr %3, align 4
  store i32 %1, ptr %4, align 4
  %5 = load i32, ptr %3, align 4
  %6 = load i32, ptr %4, align 4
  %7 = lshr i32 %5, %6
  %8 = load i32, ptr %3, align 4
  %9 = load i32, ptr %4, align 4
  %10 = sub nsw i32 32, %9
  %11 = shl i32 %8, %10
  %12 = or i32 %7, %11
  ret i32 %12
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @fib(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = icmp slt i32 %3, 2
  br i1 %4, label %5, label %7

5:                                                ; preds = %1
  %6 = load i32, ptr %2, align 4
  br label %15

7:                                                ; preds = %1
  %8 = load i32, ptr %2, align 4
  %9 = sub nsw i32 %8, 1
  %10 = call i32 @fib(i32 noundef %9)
  %11 = load i32, ptr %2, align 4
  %12 = sub nsw i32 %11, 2
  %13 = call i32 @fib(i32 noundef %12)
  %14 = add nsw i32 %10, %13
  br label %15

15:                                               ; preds = %7, %5
  %16 = phi i32 [ %6, %5 ], [ %14, %7 ]
  ret i32 %16
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p0.p0.i64(ptr writeonly captures(none), ptr readonly captures(none), i64, i1 immarg) #2

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }


