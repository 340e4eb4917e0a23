; RUN: convcheck uniform %s | FileCheck %s
; RUN: convcheck uniform --why=%after %s | FileCheck %s --check-prefix=WHY
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}@rounds for amdgcn-amd-amdhsa:{{$}}
; CHECK-NEXT: {{^}}parameters:{{$}}
; CHECK-NEXT: {{^}}  %n       uniform{{$}}
; CHECK-NEXT: {{^}}start:{{$}}
; CHECK-NEXT: {{^}}  %id      divergent[U-SOURCE]: it tells threads from each other{{$}}
; CHECK-NEXT: {{^}}  %before  uniform{{$}}
; CHECK-NEXT: {{^}}turn:{{$}}
; CHECK-NEXT: {{^}}  %i       uniform{{$}}
; CHECK-NEXT: {{^}}  %next    uniform; divergent outside the cycle of turn[U-EXIT]: threads leave the cycle of turn in different iterations, by the branch of turn{{$}}
; CHECK-NEXT: {{^}}  %more    divergent[U-DATA]: it depends on %id{{$}}
; CHECK-NEXT: {{^}}  branch   divergent[U-DATA]: it depends on %more; threads meet at out; some leave the cycle of turn for out before others{{$}}
; CHECK-NEXT: {{^}}out:{{$}}
; CHECK-NEXT: {{^}}  %after   divergent[U-EXIT]: it depends on %next, and threads leave the cycle of turn in different iterations{{$}}
; CHECK-NEXT: {{^}}  %steady  uniform{{$}}
; CHECK-NEXT: {{^}}@rounds  Values: 8, 3 divergent, 1 outside a cycle   Branches: 1, 1 divergent{{$}}
; WHY: {{^}}%after: divergent[U-EXIT]: it depends on %next, and threads leave the cycle of turn in different iterations ({{.*}}U-EXIT.shows.ll:40:3){{$}}
; WHY-NEXT: {{^}}  the branch of turn: divergent[U-DATA]: it depends on %more; threads meet at out; some leave the cycle of turn for out before others ({{.*}}U-EXIT.shows.ll:38:3){{$}}
; WHY-NEXT: {{^}}    %more: divergent[U-DATA]: it depends on %id ({{.*}}U-EXIT.shows.ll:37:3){{$}}
; WHY-NEXT: {{^}}      %id: divergent[U-SOURCE]: it tells threads from each other ({{.*}}U-EXIT.shows.ll:31:3){{$}}

; In each round %next is the same in all threads that are in it. They leave in different rounds, so behind the loop
; it is not: %after is divergent, and %steady, whose operand was made before the loop, is not.

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @rounds(i32 %n) {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %before = add i32 %n, 7
  br label %turn
turn:
  %i = phi i32 [ 0, %start ], [ %next, %turn ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %id
  br i1 %more, label %turn, label %out
out:
  %after = add i32 %next, 1
  %steady = add i32 %before, 1
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
