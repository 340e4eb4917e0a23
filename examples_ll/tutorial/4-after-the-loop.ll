; The kernel with its sum behind the loop, below the token of entry: all threads meet there, whatever the
; number of their rounds. Moving the call into the loop, or the token, changes who adds up.
;
; CONVCHECK: --threads 3 --arg %rounds=1,2,3
;
; RUN: convcheck run %s | FileCheck %s
; RUN: convcheck simulate %s --policy ipdom --policy exec-mask --policy heart | FileCheck %s --check-prefix=MACHINES
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Thread 0: start body - - end{{$}}
; CHECK-NEXT: {{^}}Thread 1: start body body - end{{$}}
; CHECK-NEXT: {{^}}Thread 2: start body body body end{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}%here (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0-2 #1: 3{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Threads 0-2 returned 3{{$}}
; MACHINES: {{^}}machine    issues  utilisation  verdict{{$}}
; MACHINES-NEXT: {{^}}ipdom          12         75 %  conforms{{$}}
; MACHINES-NEXT: {{^}}exec-mask      12         75 %  conforms{{$}}
; MACHINES-NEXT: {{^}}heart          12         75 %  conforms{{$}}

define i32 @kernel(i32 %rounds) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br label %body

body:
  %i = phi i32 [ 0, %start ], [ %i.next, %body ]
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %rounds
  br i1 %more, label %body, label %end

end:
  %here = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %all) ]
  ret i32 %here
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
