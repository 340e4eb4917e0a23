; A branch that was taken for uniform and is not: there is no mask for the lanes that go the other way.
;
; CONVCHECK: --threads 4 --arg %id=0,1,2,3
;
; RUN: not convcheck simulate --policy exec-amdgcn %s | FileCheck %s
; CHECK: departs: the br of %start, lane 2, first time: ran {0,1,2,3}; D-THREAD allows only {0,1}, because no mask goes with the branch: the lane goes to %join, the wave to %arm

target triple = "amdgcn-amd-amdhsa"

define i64 @arm(i32 %id) {
start:
  %few = icmp ult i32 %id, 2
  br i1 %few, label %arm, label %join
arm:
  %inside = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  br label %join
join:
  %value = phi i64 [ %inside, %arm ], [ 0, %start ]
  ret i64 %value
}
declare i64 @llvm.amdgcn.ballot.i64(i1)
