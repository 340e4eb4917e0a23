; Nobody wakes the lanes that did not take the branch.
;
; CONVCHECK: --threads 4 --arg %id=0,1,2,3
;
; RUN: not convcheck simulate --policy exec-amdgcn %s | FileCheck %s
; CHECK: departs: the ret of %join, lane 2, first time: ran {0,1}; D-THREAD allows only {0,1,2,3}, because the wave returns, and no mask turned the lane on before %join

target triple = "amdgcn-amd-amdhsa"

define void @arm(i32 %id) {
start:
  %few = icmp ult i32 %id, 2
  %if = call { i1, i32 } @llvm.amdgcn.if.i32(i1 %few)
  %on = extractvalue { i1, i32 } %if, 0
  br i1 %on, label %arm, label %join
arm:
  br label %join
join:
  ret void
}
declare { i1, i32 } @llvm.amdgcn.if.i32(i1)
