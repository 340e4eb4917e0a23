; sso read-write: each thread reads its peer's cell; then a branch takes the two apart, and in an arm of
; its own each votes, alone, and writes its own cell.
;
; Assertion: each thread reads 0.
; Under `none` threads 0 and 1 return 0 0, 0 1, 1 0 (not 1 1: nobody reads what is written later).
;
; Nobody votes with anybody, but a vote waits until the other thread cannot come any more: for its
; branch. From `subgroup-op` on what that thread did before its branch comes first, too. Under `none` the
; vote waits for the branch all the same, but orders no memory: tokens are no barrier.
;
;   --synchrony    outcomes  assertion
;   none           3         may fail
;   subgroup-op    1         holds
;   control-flow   1         holds
;   memory         1         holds
;   collective     1         holds
;
; CONVCHECK: --threads 2
; LITMUS: forall (0:return=0 /\ 1:return=0)
;
; RUN: convcheck verify -q %s
; RUN: convcheck enumerate %s --synchrony none | FileCheck %s --check-prefix=NONE
; RUN: convcheck enumerate %s --synchrony subgroup-op | FileCheck %s --check-prefix=SUBGROUP-OP
; RUN: convcheck enumerate %s --synchrony control-flow | FileCheck %s --check-prefix=CONTROL-FLOW
; RUN: convcheck enumerate %s --synchrony memory | FileCheck %s --check-prefix=MEMORY
; RUN: convcheck enumerate %s --synchrony collective | FileCheck %s --check-prefix=COLLECTIVE
;
; NONE-DAG: Thread 1 returned 1{{$}}
; NONE-DAG: Thread 0 returned 1{{$}}
; NONE-DAG: Threads 0, 1 returned 0{{$}}
; NONE: Alignments: 1 (complete)   Outcomes: 3{{$}}
; SUBGROUP-OP: Threads 0, 1 returned 0{{$}}
; SUBGROUP-OP: Alignments: 1 (complete)   Outcomes: 1{{$}}
; CONTROL-FLOW: Threads 0, 1 returned 0{{$}}
; CONTROL-FLOW: Alignments: 1 (complete)   Outcomes: 1{{$}}
; MEMORY: Threads 0, 1 returned 0{{$}}
; MEMORY: Alignments: 1 (complete)   Outcomes: 1{{$}}
; COLLECTIVE: Threads 0, 1 returned 0{{$}}
; COLLECTIVE: Alignments: 1 (complete)   Outcomes: 1{{$}}

@a = global [2 x i32] zeroinitializer

define i32 @sso_read_write() convergent {
entry:
  %group = call token @llvm.experimental.convergence.entry()
  %lane = call i32 @getSubgroupLocalInvocationId()
  %other = xor i32 %lane, 1
  %own = getelementptr [2 x i32], ptr @a, i32 0, i32 %lane
  %peer = getelementptr [2 x i32], ptr @a, i32 0, i32 %other
  %r = load atomic i32, ptr %peer monotonic, align 4
  %low = icmp eq i32 %lane, 0
  br i1 %low, label %then, label %else

then:
  %vote.then = call i1 @subgroupAll(i1 true) [ "convergencectrl"(token %group) ]
  store atomic i32 1, ptr %own monotonic, align 4
  br label %end

else:
  %vote.else = call i1 @subgroupAll(i1 true) [ "convergencectrl"(token %group) ]
  store atomic i32 1, ptr %own monotonic, align 4
  br label %end

end:
  ret i32 %r
}

declare i1 @subgroupAll(i1) convergent
declare i32 @getSubgroupLocalInvocationId()
declare token @llvm.experimental.convergence.entry()
