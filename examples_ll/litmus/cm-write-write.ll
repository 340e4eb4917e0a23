; cm write-write: two subgroups of two threads share one cell per lane; each thread writes its
; subgroup's number to its lane's cell.
;
; Assertion: both cells hold the same number in the end.
;
; All levels order accesses within a subgroup only; another subgroup's write may come in between.
; Only under `collective` an access of all converged threads is one event.
;
;   --synchrony    outcomes  assertion
;   none           4         may fail
;   subgroup-op    4         may fail
;   control-flow   4         may fail
;   memory         4         may fail
;   collective     2         holds
;
; CONVCHECK: --threads 4 --subgroup-size 2 --arg %number=1,1,2,2
; LITMUS: forall (@a[0]=@a[1])
;
; RUN: convcheck verify -q %s
; RUN: convcheck enumerate %s --synchrony none | FileCheck %s --check-prefix=NONE
; RUN: convcheck enumerate %s --synchrony subgroup-op | FileCheck %s --check-prefix=SUBGROUP-OP
; RUN: convcheck enumerate %s --synchrony control-flow | FileCheck %s --check-prefix=CONTROL-FLOW
; RUN: convcheck enumerate %s --synchrony memory | FileCheck %s --check-prefix=MEMORY
; RUN: convcheck enumerate %s --synchrony collective | FileCheck %s --check-prefix=COLLECTIVE
;
; NONE: Alignments: 1 (complete)   Outcomes: 4{{$}}
; SUBGROUP-OP: Alignments: 1 (complete)   Outcomes: 4{{$}}
; CONTROL-FLOW: Alignments: 1 (complete)   Outcomes: 4{{$}}
; MEMORY: Alignments: 1 (complete)   Outcomes: 4{{$}}
; COLLECTIVE: Alignments: 1 (complete)   Outcomes: 2{{$}}

@a = global [2 x i32] zeroinitializer

define void @cm_write_write(i32 %number) convergent {
entry:
  %group = call token @llvm.experimental.convergence.entry()
  %lane = call i32 @getSubgroupLocalInvocationId()
  %at = getelementptr [2 x i32], ptr @a, i32 0, i32 %lane
  store atomic i32 %number, ptr %at monotonic, align 4
  ret void
}

declare i32 @getSubgroupLocalInvocationId()
declare token @llvm.experimental.convergence.entry()
