; RUN: convcheck simulate --policy exec-amdgcn %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}machine      issues  utilisation  verdict{{$}}
; CHECK-NEXT: {{^}}exec-amdgcn      24         71 %  conforms{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0: start body body - exit{{$}}
; CHECK-NEXT: {{^}}Thread 1: start body - - exit{{$}}
; CHECK-NEXT: {{^}}Thread 2: start body body body exit{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}         start   body   body   ex{{$}}
; CHECK-NEXT: {{^}}Lane 0   ###############.......##{{$}}
; CHECK-NEXT: {{^}}Lane 1   ########..............##{{$}}
; CHECK-NEXT: {{^}}Lane 2   ########################{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0 returned 2{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 1{{$}}
; CHECK-NEXT: {{^}}Thread 2 returned 3{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Machine operations: 6 s_and_b64, 3 s_andn2_b64, 3 s_cbranch_execnz, 7 s_or_b64{{$}}
; CONVCHECK: --threads 3 --arg %n=2,1,9

; Thread 1 is done in the first round and adds itself to the mask, thread 0 in the second, thread 2 by
; the other break in the third. A mask that two breaks have filled is one mask.

target triple = "amdgcn-amd-amdhsa"

define i32 @loop(i32 %n) {
start:
  br label %body
body:
  %gone = phi i64 [ 0, %start ], [ %leaving, %body ]
  %i = phi i32 [ 0, %start ], [ %next, %body ]
  %next = add i32 %i, 1
  %last = icmp eq i32 %next, %n
  %some = call i64 @llvm.amdgcn.if.break.i64(i1 %last, i64 %gone)
  %third = icmp eq i32 %next, 3
  %leaving = call i64 @llvm.amdgcn.if.break.i64(i1 %third, i64 %some)
  %left = call i1 @llvm.amdgcn.loop.i64(i64 %leaving)
  br i1 %left, label %exit, label %body
exit:
  call void @llvm.amdgcn.end.cf.i64(i64 %leaving)
  ret i32 %next
}
declare i64 @llvm.amdgcn.if.break.i64(i1, i64)
declare i1 @llvm.amdgcn.loop.i64(i64)
declare void @llvm.amdgcn.end.cf.i64(i64)
