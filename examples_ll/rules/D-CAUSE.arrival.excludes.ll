; RUN: convcheck enumerate --engine both %s | FileCheck %s
; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true.
; CHECK: {{^}}Alignment 1:{{$}}
; CHECK-NEXT: {{^}}Thread 0: start - meet write out{{$}}
; CHECK-NEXT: {{^}}Thread 1: start read meet - out{{$}}
; CHECK-NEXT: {{^}}%sum (@subgroupAdd):{{$}}
; CHECK-NEXT: {{^}}  threads 0, 1 #1: 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Outcome 1:{{$}}
; CHECK-NEXT: {{^}}Threads 0, 1 returned 2{{$}}
; CHECK-NEXT: {{^}}Memory:{{$}}
; CHECK-NEXT: {{^}}  @cell = 2{{$}}
; CHECK-EMPTY:
; CHECK-NEXT: {{^}}Alignments: 1 (complete)   Outcomes: 1{{$}}

; Who is not in a group is waited for, too. Thread 1 comes to the sum only if it reads 0. Thread 0 writes the sum, which
; nobody can know before thread 1 has taken its branch. So thread 1 cannot read what is written, and always comes
; to the sum: that it reads 1, and thread 0 sums alone, is not there.
;
; CONVCHECK: --threads 2 --arg %writer=1,0

@cell = global i32 0

define i32 @arrival(i1 %writer) convergent {
start:
  %all = call token @llvm.experimental.convergence.entry()
  br i1 %writer, label %meet, label %read
read:
  %seen = load atomic i32, ptr @cell monotonic, align 4
  %zero = icmp eq i32 %seen, 0
  br i1 %zero, label %meet, label %out
meet:
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %all) ]
  br i1 %writer, label %write, label %out
write:
  store atomic i32 %sum, ptr @cell monotonic, align 4
  br label %out
out:
  %result = phi i32 [ -1, %read ], [ %sum, %meet ], [ %sum, %write ]
  ret i32 %result
}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
