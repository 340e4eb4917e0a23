; Whole quad mode on exec-mask (*Exec masks in LLVM*): lanes 0, 1 and 5 are covered. Their quads are on for the
; derivative, so that each has neighbours to take differences of; quad 8 to 11 stays off. Helper lanes do
; not store. A covered lane that control flow has turned off (lane 5, whose %x is more than 40) is not
; turned on by coming back to the covered lanes: the masks are ANDed.
;
; CONVCHECK: --threads 12 --covered 0,1,5 --arg %x=0,1,4,9,40,50,60,80,0,0,0,0
;
; RUN: convcheck simulate --policy exec-mask --listing %s | FileCheck %s
; RUN: convcheck simulate --policy ipdom %s | FileCheck %s --check-prefix=ALL
;
; CHECK: exec-mask 8 57 % conforms
; CHECK: %dx (@ddx):
; CHECK-NEXT: threads 0-7 #1: 0: 1, 1: 1, 2: 5, 3: 5, 4: 10, 5: 10, 6: 20, 7: 20
; CHECK: @out = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
; CHECK: note: helper lanes, on for their quads with stores off: thread 2, thread 3, thread 4, thread 6, thread 7
; CHECK: note: off, as no lane of their quad is covered: thread 8, thread 9, thread 10, thread 11
; CHECK: s_mov_b64 s[100:101], exec 000000100011
; CHECK-NEXT: s_wqm_b64 exec, exec 000011111111
; CHECK: s_mov_b64 s[98:99], exec 000000011111
; CHECK-NEXT: s_and_b64 exec, exec, s[100:101] 000000000011
; CHECK-NEXT: buffer_store_dword %dx, %slot 000000000011
; CHECK-NEXT: s_mov_b64 exec, s[98:99] 000000011111
;
; ALL: ipdom 8 94 % conforms

@out = global [12 x i32] zeroinitializer

define void @f(i32 %x) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  %dx = call i32 @ddx(i32 %x) [ "convergencectrl"(token %t) ]
  %lane = call i32 @getSubgroupLocalInvocationId()
  %slot = getelementptr [12 x i32], ptr @out, i32 0, i32 %lane
  %keep = icmp ule i32 %x, 40
  br i1 %keep, label %write, label %end

write:
  store i32 %dx, ptr %slot
  br label %end

end:
  ret void
}

declare i32 @ddx(i32) convergent
declare i32 @getSubgroupLocalInvocationId()
declare token @llvm.experimental.convergence.entry()
