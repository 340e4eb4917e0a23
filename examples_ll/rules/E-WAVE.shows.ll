; RUN: convcheck simulate --policy exec-amdgcn %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}machine      issues  utilisation  verdict{{$}}
; CHECK-NEXT: {{^}}exec-amdgcn      56         62 %  conforms (natural){{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Thread 0: start body - latch - - - - - - - - - exit{{$}}
; CHECK-NEXT: {{^}}Thread 1: start body inside latch body inside latch - - - - - - exit{{$}}
; CHECK-NEXT: {{^}}Thread 2: start body - latch body - latch body - latch - - - exit{{$}}
; CHECK-NEXT: {{^}}Thread 3: start body inside latch body inside latch body inside latch body inside latch exit{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}         start inside  body inside  body inside  body inside  exi{{$}}
; CHECK-NEXT: {{^}}Lane 0   ######..######.......................................###{{$}}
; CHECK-NEXT: {{^}}Lane 1   ###########################..........................###{{$}}
; CHECK-NEXT: {{^}}Lane 2   ######..###########..###########..######.............###{{$}}
; CHECK-NEXT: {{^}}Lane 3   ########################################################{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%odd.ones (@llvm.amdgcn.ballot.i64):{{$}}
; CHECK-NEXT: {{^}}  threads 1, 3 #1: 10{{$}}
; CHECK-NEXT: {{^}}  threads 1, 3 #2: 10{{$}}
; CHECK-NEXT: {{^}}  thread 3 #3: 8{{$}}
; CHECK-NEXT: {{^}}  thread 3 #4: 8{{$}}
; CHECK-NEXT: {{^}}%all (@llvm.amdgcn.ballot.i64):{{$}}
; CHECK-NEXT: {{^}}  threads 0-3 #1: 15{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Threads 0-3 returned 15{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Machine operations: 4 s_and_b64, 4 s_and_saveexec_b64, 4 s_andn2_b64, 4 s_cbranch_execnz, 4 s_cbranch_execz, 9 s_or_b64, 4 s_xor_b64{{$}}
; CONVCHECK: --threads 4 --arg %id=0,1,2,3

; Thread 0 leaves first, and is off when the others add themselves to %leaving: the wave has one copy of it, and so
; all four are on in %exit. A copy for each lane would leave thread 0 to wake nobody but itself.

target triple = "amdgcn-amd-amdhsa"

define i64 @loop(i32 %id) {
start:
  br label %body
body:
  %gone = phi i64 [ 0, %start ], [ %leaving, %latch ]
  %i = phi i32 [ 0, %start ], [ %next, %latch ]
  %odd = trunc i32 %id to i1
  %if = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %odd)
  %on = extractvalue { i1, i64 } %if, 0
  %off = extractvalue { i1, i64 } %if, 1
  br i1 %on, label %inside, label %latch
inside:
  %odd.ones = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  br label %latch
latch:
  call void @llvm.amdgcn.end.cf.i64(i64 %off)
  %next = add i32 %i, 1
  %done = icmp uge i32 %i, %id
  %leaving = call i64 @llvm.amdgcn.if.break.i64(i1 %done, i64 %gone)
  %left = call i1 @llvm.amdgcn.loop.i64(i64 %leaving)
  br i1 %left, label %exit, label %body
exit:
  call void @llvm.amdgcn.end.cf.i64(i64 %leaving)
  %all = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  ret i64 %all
}
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare { i1, i64 } @llvm.amdgcn.if.i64(i1)
declare i64 @llvm.amdgcn.if.break.i64(i1, i64)
declare i1 @llvm.amdgcn.loop.i64(i64)
declare void @llvm.amdgcn.end.cf.i64(i64)
