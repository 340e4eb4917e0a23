; RUN: convcheck simulate --policy exec-amdgcn %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}machine      issues  utilisation  verdict{{$}}
; CHECK-NEXT: {{^}}exec-amdgcn      17         72 %  conforms (natural){{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0: start outer inner inner.join join{{$}}
; CHECK-NEXT: {{^}}Thread 1: start outer - inner.join join{{$}}
; CHECK-NEXT: {{^}}Thread 2: start - - - join{{$}}
; CHECK-NEXT: {{^}}Thread 3: start - - - join{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}         start     inner{{$}}
; CHECK-NEXT: {{^}}Lane 0   #################{{$}}
; CHECK-NEXT: {{^}}Lane 1   ##########.######{{$}}
; CHECK-NEXT: {{^}}Lane 2   #####.........###{{$}}
; CHECK-NEXT: {{^}}Lane 3   #####.........###{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%pair (@llvm.amdgcn.ballot.i64):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 3{{$}}
; CHECK-NEXT: {{^}}%all (@llvm.amdgcn.ballot.i64):{{$}}
; CHECK-NEXT: {{^}}  threads 0-3 #1: 15{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Threads 0-3 returned 15{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Machine operations: 2 s_and_saveexec_b64, 2 s_cbranch_execz, 2 s_or_b64, 2 s_xor_b64{{$}}
; CONVCHECK: --threads 4 --arg %id=0,1,2,3

; The inner join wakes thread 1, the outer one threads 2 and 3.

target triple = "amdgcn-amd-amdhsa"

define i64 @nested(i32 %id) {
start:
  %few = icmp ult i32 %id, 2
  %if = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %few)
  %on = extractvalue { i1, i64 } %if, 0
  %off = extractvalue { i1, i64 } %if, 1
  br i1 %on, label %outer, label %join
outer:
  %zero = icmp eq i32 %id, 0
  %if2 = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %zero)
  %on2 = extractvalue { i1, i64 } %if2, 0
  %off2 = extractvalue { i1, i64 } %if2, 1
  br i1 %on2, label %inner, label %inner.join
inner:
  br label %inner.join
inner.join:
  call void @llvm.amdgcn.end.cf.i64(i64 %off2)
  %pair = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  br label %join
join:
  %value = phi i64 [ %pair, %inner.join ], [ 0, %start ]
  call void @llvm.amdgcn.end.cf.i64(i64 %off)
  %all = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  ret i64 %all
}
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare { i1, i64 } @llvm.amdgcn.if.i64(i1)
declare void @llvm.amdgcn.end.cf.i64(i64)
