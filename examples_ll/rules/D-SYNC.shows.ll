; RUN: convcheck enumerate --engine both %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start{{$}}
; CHECK-NEXT: {{^}}Thread 1: start{{$}}
; CHECK-NEXT: {{^}}@llvm.nvvm.barrier.cta.sync.aligned.all#1:{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0 returned 11{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 10{{$}}
; CHECK-NEXT: {{^}}Thread 0 events:{{$}}
; CHECK-NEXT: {{^}}  1 @llvm.nvvm.barrier.cta.sync.aligned.all(0) with threads 0, 1 #1{{$}}
; CHECK-NEXT: {{^}}Thread 1 events:{{$}}
; CHECK-NEXT: {{^}}  1 @llvm.nvvm.barrier.cta.sync.aligned.all(0) with threads 0, 1 #1{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @tile = [10, 11]{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}

; A barrier with a fence: each thread writes its cell of the tile, waits, and reads its neighbour's. PTX's barrier
; releases what is before it and acquires what the others released, so each read comes after the write that it
; is to see: one outcome, and no race.
;
; CONVCHECK: --threads 2 --arg %me=0,1

@tile = internal addrspace(3) global [2 x i32] poison

define i32 @exchange(i32 %me) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  %own = getelementptr [2 x i32], ptr addrspace(3) @tile, i32 0, i32 %me
  %value = add i32 %me, 10
  store i32 %value, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) [ "convergencectrl"(token %all) ]
  %other = xor i32 %me, 1
  %peer = getelementptr [2 x i32], ptr addrspace(3) @tile, i32 0, i32 %other
  %seen = load i32, ptr addrspace(3) %peer
  ret i32 %seen
}

declare token @llvm.experimental.convergence.entry()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
