; RUN: convcheck simulate --policy exec-amdgcn %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}machine      issues  utilisation  verdict{{$}}
; CHECK-NEXT: {{^}}exec-amdgcn      16         88 %  conforms (natural){{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0: start first turn - join{{$}}
; CHECK-NEXT: {{^}}Thread 1: start first turn - join{{$}}
; CHECK-NEXT: {{^}}Thread 2: start - turn second join{{$}}
; CHECK-NEXT: {{^}}Thread 3: start - turn second join{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}         start  turn seco{{$}}
; CHECK-NEXT: {{^}}Lane 0   ############..##{{$}}
; CHECK-NEXT: {{^}}Lane 1   ############..##{{$}}
; CHECK-NEXT: {{^}}Lane 2   #####..#########{{$}}
; CHECK-NEXT: {{^}}Lane 3   #####..#########{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%one (@llvm.amdgcn.ballot.i64):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 3{{$}}
; CHECK-NEXT: {{^}}%both (@llvm.amdgcn.ballot.i64):{{$}}
; CHECK-NEXT: {{^}}  threads 0-3 #1: 15{{$}}
; CHECK-NEXT: {{^}}%two (@llvm.amdgcn.ballot.i64):{{$}}
; CHECK-NEXT: {{^}}  threads 2, 3 #1: 12{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Threads 0, 1 returned 3{{$}}
; CHECK-NEXT: {{^}}Threads 2, 3 returned 12{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Machine operations: 1 s_and_b64, 1 s_and_saveexec_b64, 2 s_cbranch_execz, 1 s_or_b64, 1 s_or_saveexec_b64, 2 s_xor_b64{{$}}
; CONVCHECK: --threads 4 --arg %id=0,1,2,3

; In %turn all four are on: those of %off as they were woken at its head. At its branch %off2 takes threads 0 and 1.

target triple = "amdgcn-amd-amdhsa"

define i64 @arms(i32 %id) {
start:
  %few = icmp ult i32 %id, 2
  %if = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %few)
  %on = extractvalue { i1, i64 } %if, 0
  %off = extractvalue { i1, i64 } %if, 1
  br i1 %on, label %first, label %turn
first:
  %one = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  br label %turn
turn:
  %so.far = phi i64 [ %one, %first ], [ poison, %start ]
  %both = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  %else = call { i1, i64 } @llvm.amdgcn.else.i64.i64(i64 %off)
  %on2 = extractvalue { i1, i64 } %else, 0
  %off2 = extractvalue { i1, i64 } %else, 1
  br i1 %on2, label %second, label %join
second:
  %two = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  br label %join
join:
  %value = phi i64 [ %so.far, %turn ], [ %two, %second ]
  call void @llvm.amdgcn.end.cf.i64(i64 %off2)
  ret i64 %value
}
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare { i1, i64 } @llvm.amdgcn.if.i64(i1)
declare { i1, i64 } @llvm.amdgcn.else.i64.i64(i64)
declare void @llvm.amdgcn.end.cf.i64(i64)
