; RUN: convcheck simulate --policy exec-amdgcn %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}machine      issues  utilisation  verdict{{$}}
; CHECK-NEXT: {{^}}exec-amdgcn      21         71 %  conforms (natural){{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0: start body - - exit{{$}}
; CHECK-NEXT: {{^}}Thread 1: start body body - exit{{$}}
; CHECK-NEXT: {{^}}Thread 2: start body body body exit{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}         start  body  body  ex{{$}}
; CHECK-NEXT: {{^}}Lane 0   #######............##{{$}}
; CHECK-NEXT: {{^}}Lane 1   #############......##{{$}}
; CHECK-NEXT: {{^}}Lane 2   #####################{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%here (@llvm.amdgcn.ballot.i32):{{$}}
; CHECK-NEXT: {{^}}  threads 0-2 #1: 7{{$}}
; CHECK-NEXT: {{^}}  threads 1, 2 #2: 6{{$}}
; CHECK-NEXT: {{^}}  thread 2 #3: 4{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0 returned 7{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 6{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 4{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Machine operations: 3 s_and_b32, 3 s_andn2_b32, 3 s_cbranch_execnz, 4 s_or_b32{{$}}
; CONVCHECK: --threads 3 --arg %n=1,2,3

; Threads leave after 1, 2 and 3 rounds. Behind the last one nobody is on: %exit wakes all three.

target triple = "amdgcn-amd-amdhsa"

define i32 @loop(i32 %n) {
start:
  br label %body
body:
  %gone = phi i32 [ 0, %start ], [ %leaving, %body ]
  %i = phi i32 [ 0, %start ], [ %next, %body ]
  %next = add i32 %i, 1
  %here = call i32 @llvm.amdgcn.ballot.i32(i1 true)
  %done = icmp uge i32 %next, %n
  %leaving = call i32 @llvm.amdgcn.if.break.i32(i1 %done, i32 %gone)
  %left = call i1 @llvm.amdgcn.loop.i32(i32 %leaving)
  br i1 %left, label %exit, label %body
exit:
  call void @llvm.amdgcn.end.cf.i32(i32 %leaving)
  ret i32 %here
}
declare i32 @llvm.amdgcn.ballot.i32(i1)
declare i32 @llvm.amdgcn.if.break.i32(i1, i32)
declare i1 @llvm.amdgcn.loop.i32(i32)
declare void @llvm.amdgcn.end.cf.i32(i32)
