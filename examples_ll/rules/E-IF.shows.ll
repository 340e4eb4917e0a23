; RUN: convcheck simulate --policy exec-amdgcn %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}machine      issues  utilisation  verdict{{$}}
; CHECK-NEXT: {{^}}exec-amdgcn       9         89 %  conforms (natural){{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0: start arm join{{$}}
; CHECK-NEXT: {{^}}Thread 1: start arm join{{$}}
; CHECK-NEXT: {{^}}Thread 2: start - join{{$}}
; CHECK-NEXT: {{^}}Thread 3: start - join{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}         start  jo{{$}}
; CHECK-NEXT: {{^}}Lane 0   #########{{$}}
; CHECK-NEXT: {{^}}Lane 1   #########{{$}}
; CHECK-NEXT: {{^}}Lane 2   #####..##{{$}}
; CHECK-NEXT: {{^}}Lane 3   #####..##{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%inside (@llvm.amdgcn.ballot.i64):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 3{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Threads 0, 1 returned 3{{$}}
; CHECK-NEXT: {{^}}Threads 2, 3 returned 0{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Machine operations: 1 s_and_saveexec_b64, 1 s_cbranch_execz, 1 s_or_b64, 1 s_xor_b64{{$}}
; CONVCHECK: --threads 4 --arg %id=0,1,2,3

; Threads 0 and 1 take the branch; 2 and 3 are saved in %off and wait before %join.

target triple = "amdgcn-amd-amdhsa"

define i64 @arm(i32 %id) {
start:
  %few = icmp ult i32 %id, 2
  %if = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %few)
  %on = extractvalue { i1, i64 } %if, 0
  %off = extractvalue { i1, i64 } %if, 1
  br i1 %on, label %arm, label %join
arm:
  %inside = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  br label %join
join:
  %value = phi i64 [ %inside, %arm ], [ 0, %start ]
  call void @llvm.amdgcn.end.cf.i64(i64 %off)
  ret i64 %value
}
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare { i1, i64 } @llvm.amdgcn.if.i64(i1)
declare void @llvm.amdgcn.end.cf.i64(i64)
