; A callee with a loop and two returns is inlined into a loop of its caller: the heart of the caller takes the
; place of the callee's entry, and the callee's heart hangs from it.
;
; RUN: convcheck inline -q %s | FileCheck %s
; RUN: convcheck inline -q %s | convcheck refine %s - --function @caller --threads 2 --assume range:%n=0..3 | FileCheck %s --check-prefix=SAME
;
; CHECK: ; convcheck inline: @caller, %r: @sum_up is inlined, with %heart for its entry
; CHECK: %inner.i = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %heart) ]
; CHECK-NEXT: %s.i = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %inner.i) ]
; SAME: {{^}}equal:

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i32 @subgroupAdd(i32) convergent

define i32 @sum_up(i32 %x) convergent {
entry:
  %token = call token @llvm.experimental.convergence.entry()
  %none = icmp eq i32 %x, 0
  br i1 %none, label %nothing, label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %token) ]
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %inner) ]
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %x
  br i1 %more, label %loop, label %done

done:
  ret i32 %s

nothing:
  ret i32 0
}

define i32 @caller(i32 %n) convergent {
A:
  %token = call token @llvm.experimental.convergence.entry()
  br label %B

B:
  %k = phi i32 [ %n, %A ], [ %less, %B ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %token) ]
  %r = call i32 @sum_up(i32 %k) [ "convergencectrl"(token %heart) ]
  %less = sub i32 %k, 1
  %more = icmp sgt i32 %less, 0
  br i1 %more, label %B, label %C

C:
  ret i32 %r
}
