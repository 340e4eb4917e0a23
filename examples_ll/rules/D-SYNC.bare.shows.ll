; RUN: convcheck enumerate %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start{{$}}
; CHECK-NEXT: {{^}}Thread 1: start{{$}}
; CHECK-NEXT: {{^}}@_Z7barrierj#1:{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned undef{{$}}
; CHECK-NEXT: {{^}}Thread 0 events:{{$}}
; CHECK-NEXT: {{^}}  1 @_Z7barrierj(2) with threads 0, 1 #1{{$}}
; CHECK-NEXT: {{^}}Thread 1 events:{{$}}
; CHECK-NEXT: {{^}}  1 @_Z7barrierj(2) with threads 0, 1 #1{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @tile = [10, 11]{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}note: accesses to @tile race, for not both are atomic and nothing orders them: such a read is undef{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}

; A barrier that orders no memory: OpenCL's with flags that name global memory only, while the tile is local. All threads
; wait for each other, and the reads race all the same.
;
; CONVCHECK: --threads 2 --arg %me=0,1

@tile = internal addrspace(3) global [2 x i32] poison

define i32 @exchange(i32 %me) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  %own = getelementptr [2 x i32], ptr addrspace(3) @tile, i32 0, i32 %me
  %value = add i32 %me, 10
  store i32 %value, ptr addrspace(3) %own
  call void @_Z7barrierj(i32 2) [ "convergencectrl"(token %all) ]
  %other = xor i32 %me, 1
  %peer = getelementptr [2 x i32], ptr addrspace(3) @tile, i32 0, i32 %other
  %seen = load i32, ptr addrspace(3) %peer
  ret i32 %seen
}

declare token @llvm.experimental.convergence.entry()
declare void @_Z7barrierj(i32) convergent
