; RUN: convcheck uniform %s | FileCheck %s
; RUN: convcheck uniform --why=%came %s | FileCheck %s --check-prefix=WHY
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}@parted for amdgcn-amd-amdhsa:{{$}}
; CHECK-NEXT: {{^}}parameters:{{$}}
; CHECK-NEXT: {{^}}  %all     uniform{{$}}
; CHECK-NEXT: {{^}}start:{{$}}
; CHECK-NEXT: {{^}}  %id      divergent[U-SOURCE]: it tells threads from each other{{$}}
; CHECK-NEXT: {{^}}  %odd     divergent[U-DATA]: it depends on %id{{$}}
; CHECK-NEXT: {{^}}  branch   divergent[U-DATA]: it depends on %odd; threads meet at out{{$}}
; CHECK-NEXT: {{^}}out:{{$}}
; CHECK-NEXT: {{^}}  %came    divergent[U-JOIN]: threads that part at the branch of start meet here{{$}}
; CHECK-NEXT: {{^}}  %same    uniform{{$}}
; CHECK-NEXT: {{^}}  branch   uniform{{$}}
; CHECK-NEXT: {{^}}end:{{$}}
; CHECK-NEXT: {{^}}  %chosen  uniform{{$}}
; CHECK-NEXT: {{^}}@parted  Values: 6, 3 divergent   Branches: 2, 1 divergent{{$}}
; WHY: {{^}}%came: divergent[U-JOIN]: threads that part at the branch of start meet here ({{.*}}U-JOIN.shows.ll:38:3){{$}}
; WHY-NEXT: {{^}}  the branch of start: divergent[U-DATA]: it depends on %odd; threads meet at out ({{.*}}U-JOIN.shows.ll:32:3){{$}}
; WHY-NEXT: {{^}}    %odd: divergent[U-DATA]: it depends on %id ({{.*}}U-JOIN.shows.ll:31:3){{$}}
; WHY-NEXT: {{^}}      %id: divergent[U-SOURCE]: it tells threads from each other ({{.*}}U-JOIN.shows.ll:30:3){{$}}

; Threads part at start, and bring 1 or 2 to out. %same is 3 whichever way a thread came. At calm all threads go the
; same way, so %chosen is uniform.

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @parted(i1 %all) {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %id to i1
  br i1 %odd, label %left, label %right
left:
  br label %out
right:
  br label %out
out:
  %came = phi i32 [ 1, %left ], [ 2, %right ]
  %same = phi i32 [ 3, %left ], [ 3, %right ]
  br i1 %all, label %calm, label %end
calm:
  br label %end
end:
  %chosen = phi i32 [ 1, %calm ], [ 2, %out ]
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
