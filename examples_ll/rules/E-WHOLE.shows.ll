; RUN: convcheck simulate --policy exec-amdgcn %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}machine      issues  utilisation  verdict{{$}}
; CHECK-NEXT: {{^}}exec-amdgcn      12         79 %  conforms (natural){{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0: start body join{{$}}
; CHECK-NEXT: {{^}}Thread 1: start body join{{$}}
; CHECK-NEXT: {{^}}Thread 2: start - join{{$}}
; CHECK-NEXT: {{^}}Thread 3: start - join{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}         start     jo{{$}}
; CHECK-NEXT: {{^}}Lane 0   ############{{$}}
; CHECK-NEXT: {{^}}Lane 1   ############{{$}}
; CHECK-NEXT: {{^}}Lane 2   #####.....##{{$}}
; CHECK-NEXT: {{^}}Lane 3   #####.....##{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%lane (@llvm.amdgcn.set.inactive.i32):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 0: 10, 1: 11{{$}}
; CHECK-NEXT: {{^}}%sum (@llvm.amdgcn.wave.reduce.add.i32):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 21{{$}}
; CHECK-NEXT: {{^}}%whole (@llvm.amdgcn.strict.wwm.i32):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 221{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Threads 0, 1 returned 221{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 2{{$}}
; CHECK-NEXT: {{^}}Thread 3 returned 3{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Machine operations: 1 s_and_saveexec_b64, 1 s_cbranch_execz, 1 s_or_b64, 1 s_xor_b64{{$}}
; CONVCHECK: --threads 4 --subgroup-size 4 --arg %id=0,1,2,3

; Lanes 2 and 3 are off where the sum is made. In whole wave mode they add, too: 100 each, which set.inactive gives
; them. Without it the sum is that of lanes 0 and 1.

target triple = "amdgcn-amd-amdhsa"

define i32 @whole(i32 %id) {
start:
  %few = icmp ult i32 %id, 2
  %if = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %few)
  %on = extractvalue { i1, i64 } %if, 0
  %off = extractvalue { i1, i64 } %if, 1
  br i1 %on, label %body, label %join
body:
  %ten = add i32 %id, 10
  %lane = call i32 @llvm.amdgcn.set.inactive.i32(i32 %ten, i32 100)
  %sum = call i32 @llvm.amdgcn.wave.reduce.add.i32(i32 %lane, i32 0)
  %whole = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %sum)
  br label %join
join:
  %value = phi i32 [ %whole, %body ], [ %id, %start ]
  call void @llvm.amdgcn.end.cf.i64(i64 %off)
  ret i32 %value
}
declare { i1, i64 } @llvm.amdgcn.if.i64(i1)
declare void @llvm.amdgcn.end.cf.i64(i64)
declare i32 @llvm.amdgcn.set.inactive.i32(i32, i32)
declare i32 @llvm.amdgcn.wave.reduce.add.i32(i32, i32)
declare i32 @llvm.amdgcn.strict.wwm.i32(i32)
