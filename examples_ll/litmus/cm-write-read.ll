; cm write-read: two subgroups of two threads share one cell; each thread writes its subgroup's number
; and reads the cell.
;
; Assertion: all threads of a subgroup read the same.
;
; All levels order accesses within a subgroup only; another subgroup's write may come in between.
; Only under `collective` an access of all converged threads is one event.
;
;   --synchrony    outcomes  assertion
;   none           24        may fail
;   subgroup-op    24        may fail
;   control-flow   24        may fail
;   memory         8         may fail
;   collective     4         holds
;
; CONVCHECK: --threads 4 --subgroup-size 2 --arg %number=1,1,2,2
; LITMUS: forall (0:return=1:return /\ 2:return=3:return)
;
; RUN: convcheck verify -q %s
; RUN: convcheck enumerate %s --synchrony none | FileCheck %s --check-prefix=NONE
; RUN: convcheck enumerate %s --synchrony subgroup-op | FileCheck %s --check-prefix=SUBGROUP-OP
; RUN: convcheck enumerate %s --synchrony control-flow | FileCheck %s --check-prefix=CONTROL-FLOW
; RUN: convcheck enumerate %s --synchrony memory | FileCheck %s --check-prefix=MEMORY
; RUN: convcheck enumerate %s --synchrony collective | FileCheck %s --check-prefix=COLLECTIVE
;
; NONE: Alignments: 1 (complete)   Outcomes: 24{{$}}
; SUBGROUP-OP: Alignments: 1 (complete)   Outcomes: 24{{$}}
; CONTROL-FLOW: Alignments: 1 (complete)   Outcomes: 24{{$}}
; MEMORY: Alignments: 1 (complete)   Outcomes: 8{{$}}
; COLLECTIVE: Alignments: 1 (complete)   Outcomes: 4{{$}}

@x = global i32 0

define i32 @cm_write_read(i32 %number) convergent {
entry:
  %group = call token @llvm.experimental.convergence.entry()
  store atomic i32 %number, ptr @x monotonic, align 4
  %r = load atomic i32, ptr @x monotonic, align 4
  ret i32 %r
}

declare token @llvm.experimental.convergence.entry()
