; The inner join has the outer one's mask: it wakes lanes that wait for the outer join.
;
; CONVCHECK: --threads 4 --arg %id=0,1,2,3
;
; RUN: not convcheck simulate --policy exec-amdgcn %s | FileCheck %s
; CHECK: departs: @llvm.amdgcn.end.cf.i64#1, lane 2, first time: ran {0,2,3}; D-THREAD allows only {0}, because its mask turns the lane on in %inner.join, and its thread stands before %join

target triple = "amdgcn-amd-amdhsa"

define i64 @nested(i32 %id) {
start:
  %few = icmp ult i32 %id, 2
  %if = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %few)
  %on = extractvalue { i1, i64 } %if, 0
  %off = extractvalue { i1, i64 } %if, 1
  br i1 %on, label %outer, label %join
outer:
  %zero = icmp eq i32 %id, 0
  %if2 = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %zero)
  %on2 = extractvalue { i1, i64 } %if2, 0
  %off2 = extractvalue { i1, i64 } %if2, 1
  br i1 %on2, label %inner, label %inner.join
inner:
  br label %inner.join
inner.join:
  call void @llvm.amdgcn.end.cf.i64(i64 %off)
  %pair = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  br label %join
join:
  %value = phi i64 [ %pair, %inner.join ], [ 0, %start ]
  call void @llvm.amdgcn.end.cf.i64(i64 %off)
  %all = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  ret i64 %all
}
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare { i1, i64 } @llvm.amdgcn.if.i64(i1)
declare void @llvm.amdgcn.end.cf.i64(i64)
