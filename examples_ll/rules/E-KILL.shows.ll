; RUN: convcheck simulate --policy exec-amdgcn %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}machine      issues  utilisation  verdict{{$}}
; CHECK-NEXT: {{^}}exec-amdgcn      11         77 %  conforms (natural){{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0: start body join{{$}}
; CHECK-NEXT: {{^}}Thread 1: start body -{{$}}
; CHECK-NEXT: {{^}}Thread 2: start - join{{$}}
; CHECK-NEXT: {{^}}Thread 3: start - join{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}         start  body{{$}}
; CHECK-NEXT: {{^}}Lane 0   ###########{{$}}
; CHECK-NEXT: {{^}}Lane 1   #######....{{$}}
; CHECK-NEXT: {{^}}Lane 2   #####...###{{$}}
; CHECK-NEXT: {{^}}Lane 3   #####...###{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%all (@llvm.amdgcn.ballot.i64):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 2, 3 #1: 13{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0 returned 13{{$}}
; CHECK-NEXT: {{^}}Thread 1 exited{{$}}
; CHECK-NEXT: {{^}}Threads 2, 3 returned 13{{$}}
; CHECK-NEXT: {{^}}Thread 1 events:{{$}}
; CHECK-NEXT: {{^}}  1 @llvm.amdgcn.kill(0){{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Machine operations: 1 s_and_saveexec_b64, 1 s_cbranch_execz, 1 s_or_b64, 1 s_xor_b64{{$}}
; CONVCHECK: --threads 4 --subgroup-size 4 --arg %id=0,1,2,3

; Lane 1 ends in the branch. end.cf turns on whom the mask names, lanes 2 and 3, and lane 0 has stayed on: the ballot
; is of three lanes.

target triple = "amdgcn-amd-amdhsa"

define i64 @killed(i32 %id) {
start:
  %few = icmp ult i32 %id, 2
  %if = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %few)
  %on = extractvalue { i1, i64 } %if, 0
  %off = extractvalue { i1, i64 } %if, 1
  br i1 %on, label %body, label %join
body:
  %stays = icmp eq i32 %id, 0
  call void @llvm.amdgcn.kill(i1 %stays)
  br label %join
join:
  call void @llvm.amdgcn.end.cf.i64(i64 %off)
  %all = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  ret i64 %all
}
declare { i1, i64 } @llvm.amdgcn.if.i64(i1)
declare void @llvm.amdgcn.end.cf.i64(i64)
declare void @llvm.amdgcn.kill(i1)
declare i64 @llvm.amdgcn.ballot.i64(i1)
