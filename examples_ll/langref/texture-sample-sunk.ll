; Convergent Operation Semantics, "Texture sampling in a pixel shader", after the sinking that the
; tokens forbid: well-formed, but another program. Lane 1 no longer samples; there is no neighbour
; from whom lane 0 could get a coordinate, and its color is poison.
;
; The threads return poison, 0, 80 and 80.
;
; CONVCHECK: --function @shade --threads 4 --arg %lane=0,1,2,3 --arg %u=10,14,40,48 --arg %lit=1,0,1,1
;
; RUN: convcheck verify %s | FileCheck %s --check-prefix=VERIFY
; RUN: convcheck run %s | FileCheck %s
;
; VERIFY: ok
; CHECK:      {{^}}Thread 0: A B C{{$}}
; CHECK-NEXT: {{^}}Thread 1: A - C{{$}}
; CHECK-NEXT: {{^}}Thread 2: A B C{{$}}
; CHECK-NEXT: {{^}}Thread 3: A B C{{$}}
; CHECK:      {{^}}Thread 0 returned poison{{$}}
; CHECK-NEXT: {{^}}Thread 1 returned 0{{$}}
; CHECK-NEXT: {{^}}Threads 2, 3 returned 80{{$}}

define i32 @shade(i32 %lane, i32 %u, i1 %lit) convergent {
A:
  %entry = call token @llvm.experimental.convergence.entry()
  br i1 %lit, label %B, label %C

B:
  %color = call i32 @textureSample(i32 %lane, i32 %u) [ "convergencectrl"(token %entry) ]
  %used = mul i32 %color, 10
  br label %C

C:
  %shade = phi i32 [ 0, %A ], [ %used, %B ]
  ret i32 %shade
}

; A quad's derivative: how far the coordinate of the neighbour is from one's own.
define i32 @textureSample(i32 %lane, i32 %u) convergent {
Q:
  %entry = call token @llvm.experimental.convergence.entry()
  %neighbour = xor i32 %lane, 1
  %other = call i32 @subgroupShuffle(i32 %u, i32 %neighbour) [ "convergencectrl"(token %entry) ]
  %difference = sub i32 %other, %u
  %derivative = call i32 @llvm.abs.i32(i32 %difference, i1 true)
  ret i32 %derivative
}

declare i32 @subgroupShuffle(i32, i32) convergent
declare token @llvm.experimental.convergence.entry()
declare i32 @llvm.abs.i32(i32, i1 immarg)
