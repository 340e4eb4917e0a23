; How OpenMP's generic mode runs on a GPU: one main thread, and workers that wait until it has work for them. The
; main thread is alone in the last wave, whose other lanes are idle, and comes to other calls of the barrier than the
; workers do: PTX's barrier.cta.sync counts who comes, and not where. Twice the main thread hands out a function and
; its argument; a null one sends the workers home. They call what they are handed by another type than it has.
;
; Where a wave has one program counter the idle lanes wait behind the main thread, until it returns, too: it comes to
; the barrier for all of them. The machine with convergence barriers counts lanes, and hangs.
;
; RUN: convcheck run -q %s | FileCheck %s
; RUN: convcheck simulate -q --policy all %s | FileCheck %s --check-prefix=MACHINES
; CONVCHECK: --grid 1 --workgroup 64 --buffer %out=i32[32]:1,2,... --show %out

; CHECK: %out = i32[32]: 42, 44, 46, 48, 50,

; MACHINES: ipdom {{.*}}conforms
; MACHINES: exec-mask {{.*}}conforms
; MACHINES: mask-stack {{.*}}conforms
; MACHINES: block-ip {{.*}}conforms
; MACHINES: barrier {{.*}}hangs
; MACHINES: heart {{.*}}conforms
; MACHINES: independent {{.*}}conforms

target triple = "nvptx64-nvidia-cuda"

@work = internal addrspace(3) global ptr undef
@argument = internal addrspace(3) global ptr undef

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.all(i32) convergent

define ptx_kernel void @generic(ptr %out) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is.main = icmp eq i32 %thread, 32
  %is.idle = icmp ugt i32 %thread, 32
  br i1 %is.idle, label %end, label %busy

busy:
  br i1 %is.main, label %main, label %wait

main:
  call void @parallel(ptr @add, ptr %out)
  call void @parallel(ptr @double, ptr %out)
  store ptr null, ptr addrspace(3) @work
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %end

wait:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %function = load ptr, ptr addrspace(3) @work
  %is.over = icmp eq ptr %function, null
  br i1 %is.over, label %end, label %active

active:
  %given = load ptr, ptr addrspace(3) @argument
  %address = ptrtoint ptr %given to i64
  call void %function(i32 0, i32 %thread, i64 %address)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %wait

end:
  ret void
}

define internal void @parallel(ptr %function, ptr %given) convergent {
  store ptr %function, ptr addrspace(3) @work
  store ptr %given, ptr addrspace(3) @argument
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}

define internal void @add(i16 %level, i32 %thread, ptr %out) {
  %element = getelementptr i32, ptr %out, i32 %thread
  %old = load i32, ptr %element
  %new = add i32 %old, 20
  store i32 %new, ptr %element
  ret void
}

define internal void @double(i16 %level, i32 %thread, ptr %out) {
  %element = getelementptr i32, ptr %out, i32 %thread
  %old = load i32, ptr %element
  %new = shl i32 %old, 1
  store i32 %new, ptr %element
  ret void
}
