; sm write-write: each thread writes 1 to its own cell and 2 to its peer's, in one block.
;
; Assertion: both cells are 2 in the end.
; Under `none` the cells end as 1 2, 2 1, 2 2 (not 1 1: D-MEM has one order of all accesses).
;
; There is no operation and no branch between the accesses. Only `memory` lets no thread go on to its
; next access before all that are converged with it have executed this one.
;
;   --synchrony    outcomes  assertion
;   none           3         may fail
;   subgroup-op    3         may fail
;   control-flow   3         may fail
;   memory         1         holds
;   collective     1         holds
;
; CONVCHECK: --threads 2
; LITMUS: forall (@a[0]=2 /\ @a[1]=2)
;
; RUN: convcheck verify -q %s
; RUN: convcheck enumerate %s --synchrony none | FileCheck %s --check-prefix=NONE
; RUN: convcheck enumerate %s --synchrony subgroup-op | FileCheck %s --check-prefix=SUBGROUP-OP
; RUN: convcheck enumerate %s --synchrony control-flow | FileCheck %s --check-prefix=CONTROL-FLOW
; RUN: convcheck enumerate %s --synchrony memory | FileCheck %s --check-prefix=MEMORY
; RUN: convcheck enumerate %s --synchrony collective | FileCheck %s --check-prefix=COLLECTIVE
;
; NONE-DAG: @a = [1, 2]{{$}}
; NONE-DAG: @a = [2, 1]{{$}}
; NONE-DAG: @a = [2, 2]{{$}}
; NONE: Alignments: 1 (complete)   Outcomes: 3{{$}}
; SUBGROUP-OP-DAG: @a = [1, 2]{{$}}
; SUBGROUP-OP-DAG: @a = [2, 1]{{$}}
; SUBGROUP-OP-DAG: @a = [2, 2]{{$}}
; SUBGROUP-OP: Alignments: 1 (complete)   Outcomes: 3{{$}}
; CONTROL-FLOW-DAG: @a = [1, 2]{{$}}
; CONTROL-FLOW-DAG: @a = [2, 1]{{$}}
; CONTROL-FLOW-DAG: @a = [2, 2]{{$}}
; CONTROL-FLOW: Alignments: 1 (complete)   Outcomes: 3{{$}}
; MEMORY: @a = [2, 2]{{$}}
; MEMORY: Alignments: 1 (complete)   Outcomes: 1{{$}}
; COLLECTIVE: @a = [2, 2]{{$}}
; COLLECTIVE: Alignments: 1 (complete)   Outcomes: 1{{$}}

@a = global [2 x i32] zeroinitializer

define void @sm_write_write() convergent {
entry:
  %group = call token @llvm.experimental.convergence.entry()
  %lane = call i32 @getSubgroupLocalInvocationId()
  %other = xor i32 %lane, 1
  %own = getelementptr [2 x i32], ptr @a, i32 0, i32 %lane
  %peer = getelementptr [2 x i32], ptr @a, i32 0, i32 %other
  store atomic i32 1, ptr %own monotonic, align 4
  store atomic i32 2, ptr %peer monotonic, align 4
  ret void
}

declare i32 @getSubgroupLocalInvocationId()
declare token @llvm.experimental.convergence.entry()
