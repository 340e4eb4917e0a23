; RUN: convcheck simulate --policy exec-amdgcn %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}machine      issues  utilisation  verdict{{$}}
; CHECK-NEXT: {{^}}exec-amdgcn      10         74 %  conforms (natural){{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0: start - join{{$}}
; CHECK-NEXT: {{^}}Thread 1: start body join{{$}}
; CHECK-NEXT: {{^}}Thread 2: start - join{{$}}
; CHECK-NEXT: {{^}}Thread 3: start - join{{$}}
; CHECK-NEXT: {{^}}Thread 4: start - join{{$}}
; CHECK-NEXT: {{^}}Thread 5: start - join{{$}}
; CHECK-NEXT: {{^}}Thread 6: start - join{{$}}
; CHECK-NEXT: {{^}}Thread 7: start - join{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}         start   jo{{$}}
; CHECK-NEXT: {{^}}Lane 0   #####...##{{$}}
; CHECK-NEXT: {{^}}Lane 1   ##########{{$}}
; CHECK-NEXT: {{^}}Lane 2   #####...##{{$}}
; CHECK-NEXT: {{^}}Lane 3   #####...##{{$}}
; CHECK-NEXT: {{^}}Lane 4   #####...##{{$}}
; CHECK-NEXT: {{^}}Lane 5   #####...##{{$}}
; CHECK-NEXT: {{^}}Lane 6   #####...##{{$}}
; CHECK-NEXT: {{^}}Lane 7   #####...##{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%lanes (@llvm.amdgcn.ballot.i64):{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 2{{$}}
; CHECK-NEXT: {{^}}%whole (@llvm.amdgcn.strict.wqm.i64):{{$}}
; CHECK-NEXT: {{^}}  thread 1 #1: 15{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0 returned 0{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 15{{$}}
; CHECK-NEXT: {{^}}Threads 2-7 returned 0{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Machine operations: 1 s_and_saveexec_b64, 1 s_cbranch_execz, 1 s_or_b64, 1 s_xor_b64{{$}}
; CONVCHECK: --threads 8 --subgroup-size 8 --arg %id=0,1,2,3,4,5,6,7

; Only lane 1 is on. In whole quad mode the lanes of its quad, 0 to 3, take part in the ballot, and 4 to 7 do not.

target triple = "amdgcn-amd-amdhsa"

define i64 @quad(i32 %id) {
start:
  %second = icmp eq i32 %id, 1
  %if = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %second)
  %on = extractvalue { i1, i64 } %if, 0
  %off = extractvalue { i1, i64 } %if, 1
  br i1 %on, label %body, label %join
body:
  %lanes = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  %whole = call i64 @llvm.amdgcn.strict.wqm.i64(i64 %lanes)
  br label %join
join:
  %value = phi i64 [ %whole, %body ], [ 0, %start ]
  call void @llvm.amdgcn.end.cf.i64(i64 %off)
  ret i64 %value
}
declare { i1, i64 } @llvm.amdgcn.if.i64(i1)
declare void @llvm.amdgcn.end.cf.i64(i64)
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i64 @llvm.amdgcn.strict.wqm.i64(i64)
