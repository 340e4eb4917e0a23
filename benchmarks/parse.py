"""How long parsing and verifying take, beside LLVM's own parse and verify of the same text.

    python benchmarks/parse.py [LINES...]        (default: 10000 50000 100000)

Two modules, in which every function, or one in a hundred, carries tokens; clang's shapes, names and
comments. Each row gives, for one run on one machine, microseconds a line: cutting the text and reading
headers (``cut``), reading the bodies that verify asks for (``bodies``), the rules (``rules``); LLVM's
parse and verify in this process (``llvm``); ``ratio``, ours to LLVM's; ``asked``, the same with LLVM's own
parse and verify added to ours, since LLVM is asked first. Of three runs the fastest counts. Aims: a ratio
of at most 15 where every function carries tokens and of 2 where one in a hundred does, and no growth with the
file.

What bounds it: a line is cut into some ten tokens (two microseconds), its kinds looked up, and the builder's
methods called, which make one value with some ten fields; where a line's shape is new, the LALR driver makes
some eight reductions first. The rules look at every instruction again, and CPython's garbage collector walks
what was made. Where few functions carry tokens what is left is one search for the end of each body, its
header, and one search for the names in it. A bare LALR parse of the same lines by lark, without building
anything, is shown in the last line for comparison.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from llvmlite import binding

from convergence.parser import parse
from convergence.verifier import verify

HEADER = """source_filename = "bench.hlsl"
target triple = "spirv1.6-unknown-vulkan1.3-compute"

declare spir_func i32 @sum(i32 noundef) #1
declare spir_func i32 @plain(i32 noundef)

"""
FOOTER = """
attributes #0 = { convergent noinline norecurse nounwind "frame-pointer"="all" }
attributes #1 = { convergent nounwind }
"""


def function(number: int, tokens: bool) -> str:
    """30 lines: a loop with a branch in it, memory, arithmetic, phis and calls."""
    entry = "%0 = call token @llvm.experimental.convergence.entry()" if tokens else "%0 = zext i1 %c to i32"
    heart = (
        'call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %0) ]'
        if tokens
        else "xor i32 %0, 7"
    )
    callee, bundle = ("sum", ' #1 [ "convergencectrl"(token %1) ]') if tokens else ("plain", "")
    return f"""; Function Attrs: convergent noinline norecurse nounwind
define spir_func noundef i32 @_Z4mainDv3_j.{number}(i32 noundef %n, ptr noundef align 4 %p, i1 %c) #0 {{
entry:
  {entry}
  %arrayidx = getelementptr inbounds nuw i32, ptr %p, i64 {number % 64}
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i32 [ 0, %entry ], [ %inc, %for.inc ]
  %1 = {heart}
  %2 = load i32, ptr %arrayidx, align 4
  %call = call spir_func noundef i32 @{callee}(i32 noundef %2){bundle}
  %cmp = icmp ult i32 %call, {number}
  br i1 %cmp, label %if.then, label %for.inc

if.then:                                          ; preds = %for.cond
  %add = add nsw i32 %call, %i.0
  %conv = sitofp i32 %add to float
  %mul = fmul reassoc nnan float %conv, 1.500000e+00
  store float %mul, ptr %p, align 4
  br label %for.inc

for.inc:                                          ; preds = %if.then, %for.cond
  %y = phi i32 [ %add, %if.then ], [ %call, %for.cond ]
  %inc = add nuw nsw i32 %i.0, 1
  %exitcond = icmp eq i32 %inc, %n
  br i1 %exitcond, label %for.end, label %for.cond

for.end:                                          ; preds = %for.inc
  ret i32 %y
}}

"""


def module(lines: int, every: int) -> str:
    """A module of about ``lines`` lines in which each ``every``-th function carries tokens."""
    each = function(0, True).count("\n")
    return HEADER + "".join(function(k, k % every == 0) for k in range(lines // each)) + FOOTER


def fastest(action: Callable[[], object]) -> float:
    """Seconds of the fastest of three runs."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def row(text: str) -> str:
    """One row of the table."""
    lines = text.count("\n")

    def llvm() -> None:
        binding.parse_assembly(text, binding.create_context()).verify()

    def bodies() -> object:
        found = parse(text, ask_llvm=False)
        return [f.instructions for f in found.definitions() if f.body and "token" in (f.body.mentions or ())]

    cut = fastest(lambda: parse(text, ask_llvm=False))
    read = fastest(bodies)
    whole = fastest(lambda: verify(parse(text, ask_llvm=False)))
    theirs = fastest(llvm)
    parts = [cut, read - cut, whole - read, whole, theirs]
    cells = "".join(f"{1e6 * seconds / lines:8.2f}" for seconds in parts)
    return f"{lines:8}{cells}{whole / theirs:8.1f}{(whole + theirs) / theirs:8.1f}"


def bare_lark(text: str) -> float:
    """Seconds that lark's LALR parser takes for a text, nothing built from its tree."""
    from convergence.parser.driver import GRAMMAR, grammar_of_lark

    grammar = grammar_of_lark(GRAMMAR.read_text(encoding="utf-8"))
    return fastest(lambda: grammar.parse(text, start="module"))


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or [10_000, 50_000, 100_000]
    head = "".join(
        f"{word:>8}" for word in ("lines", "cut", "bodies", "rules", "all", "llvm", "ratio", "asked")
    )
    for every, title in (
        (1, "every function carries tokens"),
        (100, "one function in a hundred carries tokens"),
    ):
        print(f"{title}: microseconds a line\n{head}")
        for lines in sizes:
            print(row(module(lines, every)), flush=True)
    text = module(3_000, 1)
    start = time.perf_counter()
    binding.parse_assembly(text, binding.create_context()).verify()
    theirs = time.perf_counter() - start
    ratio = bare_lark(text) / theirs
    print(f"a bare LALR parse by lark of 3,000 such lines: {ratio:.0f} times LLVM's parse and verify")


if __name__ == "__main__":
    main()
