"""Native code against the reference, side by side: ``python benchmarks/native.py``.

Instructions a second of processor time on 64 threads: a loop of arithmetic (the aim: 200 million), a loop
over an array, each thread its own row (50 million accesses), the same as ``clang -O0`` would write it, and
a loop with an exchange in each iteration, of all lanes and of some (20 million lane-exchanges). And the time
that the first answer of a small kernel takes longer by ``auto`` (aim: 0.15 s at most).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import convergence as cc
from convergence.semantics.machine.program import EngineKind

THREADS = 64
ARITHMETIC = """
define i32 @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s3, %loop ]
  %s1 = mul i32 %s, 1664525
  %s2 = add i32 %s1, 1013904223
  %s3 = xor i32 %s2, %i
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s3
}
"""
MEMORY = """
@rows = global [64 x [256 x i32]] zeroinitializer
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define i32 @f(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = getelementptr inbounds [64 x [256 x i32]], ptr @rows, i32 0, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = and i32 %i, 255
  %p = getelementptr inbounds [256 x i32], ptr %row, i32 0, i32 %at
  %old = load i32, ptr %p
  %new = add i32 %old, %i
  store i32 %new, ptr %p
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %new
}
"""
UNOPTIMIZED = """
define i32 @f(i32 %n) {
entry:
  %i = alloca i32
  %s = alloca i32
  store i32 0, ptr %i
  store i32 0, ptr %s
  br label %cond
cond:
  %i0 = load i32, ptr %i
  %more = icmp ult i32 %i0, %n
  br i1 %more, label %body, label %end
body:
  %s0 = load i32, ptr %s
  %i1 = load i32, ptr %i
  %s1 = add i32 %s0, %i1
  store i32 %s1, ptr %s
  %i2 = load i32, ptr %i
  %i3 = add i32 %i2, 1
  store i32 %i3, ptr %i
  br label %cond
end:
  %s2 = load i32, ptr %s
  ret i32 %s2
}
"""
EXCHANGE = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i32 @subgroupAdd(i32) convergent
define i32 @f(i32 %n) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %l) ]
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s
}
"""
PART = EXCHANGE.replace("entry:\n", "start:\n").replace("[ 0, %entry ]", "[ 0, %begin ]").replace(
    "  br label %loop\nloop:", """  %id = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %here = icmp ult i32 %id, 40
  br i1 %here, label %begin, label %none
none:
  ret i32 0
begin:
  br label %loop
loop:""", 1
).replace("define i32", "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndefine i32")  # fmt: skip


def rate(text: str, rounds: int, engine: EngineKind) -> tuple[float, float]:
    """Instructions, and rounds of all threads, a second."""
    module = cc.parse(text)
    cc.run(module, threads=THREADS, arguments={"n": 2}, engine=engine)  # compiles
    begin = time.process_time()
    run = cc.run(
        module, threads=THREADS, arguments={"n": rounds}, engine=engine, max_steps=10**12, verified=True
    )
    seconds = time.process_time() - begin
    return run.steps / seconds, rounds * THREADS / seconds


def main() -> None:
    """One row a loop."""
    print(f"{'':28} {'reference':>12} {'native':>14}")
    for name, text, slow, fast in (
        ("arithmetic", ARITHMETIC, 300, 1_000_000),
        ("loads and stores", MEMORY, 300, 100_000),
        ("loads and stores at -O0", UNOPTIMIZED, 300, 100_000),
        ("exchange in each iteration", EXCHANGE, 100, 200_000),
        ("the same for 40 of 64 lanes", PART, 100, 200_000),
    ):
        reference, native = rate(text, slow, "reference"), rate(text, fast, "native")
        print(f"{name:28} {reference[0] / 1e6:10.2f} M {native[0] / 1e6:12.2f} M instructions a second")
        print(f"{'':28} {reference[1] / 1e6:10.2f} M {native[1] / 1e6:12.2f} M rounds of a thread a second")


if __name__ == "__main__":
    main()
