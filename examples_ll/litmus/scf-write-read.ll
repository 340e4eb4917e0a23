; scf write-read: each thread writes its own cell; then a branch takes the two apart, and each
; reads its peer's cell in an arm of its own.
;
; Assertion: each thread reads 1.
; Under `none` threads 0 and 1 return 0 1, 1 0, 1 1 (not 0 0: D-MEM has one order of all accesses).
;
; Before the branch the two are converged. From `control-flow` on they leave the block together, so
; that all first accesses come before all second ones.
;
;   --synchrony    outcomes  assertion
;   none           3         may fail
;   subgroup-op    3         may fail
;   control-flow   1         holds
;   memory         1         holds
;   collective     1         holds
;
; CONVCHECK: --threads 2
; LITMUS: forall (0:return=1 /\ 1:return=1)
;
; RUN: convcheck verify -q %s
; RUN: convcheck enumerate %s --synchrony none | FileCheck %s --check-prefix=NONE
; RUN: convcheck enumerate %s --synchrony subgroup-op | FileCheck %s --check-prefix=SUBGROUP-OP
; RUN: convcheck enumerate %s --synchrony control-flow | FileCheck %s --check-prefix=CONTROL-FLOW
; RUN: convcheck enumerate %s --synchrony memory | FileCheck %s --check-prefix=MEMORY
; RUN: convcheck enumerate %s --synchrony collective | FileCheck %s --check-prefix=COLLECTIVE
;
; NONE-DAG: Thread 0 returned 0{{$}}
; NONE-DAG: Thread 1 returned 0{{$}}
; NONE-DAG: Threads 0, 1 returned 1{{$}}
; NONE: Alignments: 1 (complete)   Outcomes: 3{{$}}
; SUBGROUP-OP-DAG: Thread 0 returned 0{{$}}
; SUBGROUP-OP-DAG: Thread 1 returned 0{{$}}
; SUBGROUP-OP-DAG: Threads 0, 1 returned 1{{$}}
; SUBGROUP-OP: Alignments: 1 (complete)   Outcomes: 3{{$}}
; CONTROL-FLOW: Threads 0, 1 returned 1{{$}}
; CONTROL-FLOW: Alignments: 1 (complete)   Outcomes: 1{{$}}
; MEMORY: Threads 0, 1 returned 1{{$}}
; MEMORY: Alignments: 1 (complete)   Outcomes: 1{{$}}
; COLLECTIVE: Threads 0, 1 returned 1{{$}}
; COLLECTIVE: Alignments: 1 (complete)   Outcomes: 1{{$}}

@a = global [2 x i32] zeroinitializer

define i32 @scf_write_read() convergent {
entry:
  %group = call token @llvm.experimental.convergence.entry()
  %lane = call i32 @getSubgroupLocalInvocationId()
  %other = xor i32 %lane, 1
  %own = getelementptr [2 x i32], ptr @a, i32 0, i32 %lane
  %peer = getelementptr [2 x i32], ptr @a, i32 0, i32 %other
  store atomic i32 1, ptr %own monotonic, align 4
  %low = icmp eq i32 %lane, 0
  br i1 %low, label %then, label %else

then:
  %r.then = load atomic i32, ptr %peer monotonic, align 4
  br label %end

else:
  %r.else = load atomic i32, ptr %peer monotonic, align 4
  br label %end

end:
  %r = phi i32 [ %r.then, %then ], [ %r.else, %else ]
  ret i32 %r
}

declare i32 @getSubgroupLocalInvocationId()
declare token @llvm.experimental.convergence.entry()
