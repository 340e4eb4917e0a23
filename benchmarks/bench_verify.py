"""How long the static rules take, beside LLVM's own parse and verify of the same text.

    python benchmarks/bench_verify.py [LINES]

Two modules of about LINES lines (default 100,000), in which every function, or one in a hundred, carries
tokens; and single functions of 20,000 blocks: loops in a row, loops inside each other, and loops whose
operations all use the wrong token. Each row gives, in one run on one machine: parsing (bodies that
verify asks for included), the rules alone, LLVM's parse and verify, and the ratios to LLVM. Fixed inputs.

What bounds it: the rules look at every instruction once and cost about as much per call as building its
frozen dataclasses did; a third of the time in large modules is CPython's cyclic garbage collector, which
walks the whole module again and again. Where most functions carry no tokens the search for what their text
names (``parser/lexer.py``) is all that is left. LLVM's own verifier is quadratic in one case here: it keeps a
list of all live tokens per block in deep nests.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress

from llvmlite import binding

from convergence.parser import parse
from convergence.verifier import verify
from convergence.verifier.facts import ModuleFacts, Relevance

DECLARATIONS = """
declare token @llvm.experimental.convergence.entry() convergent
declare token @llvm.experimental.convergence.loop() convergent
declare token @llvm.experimental.convergence.anchor() convergent
declare i32 @sum(i32) convergent
"""

ENTRY = "call token @llvm.experimental.convergence.entry()"
LOOP = 'call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %{}) ]'
SUM = 'call i32 @sum(i32 {}) [ "convergencectrl"(token %{}) ]'


def with_tokens(number: int) -> str:
    """A function of 28 lines: a loop with a heart, two operations, arithmetic and a use behind it."""
    arithmetic = "\n".join(f"  %a{k} = add i32 %{f'a{k - 1}' if k else 'i'}, {k}" for k in range(12))
    return f"""
define i32 @f{number}(i32 %x) convergent {{
start:
  %all = {ENTRY}
  br label %head
head:
  %i = phi i32 [ 0, %start ], [ %next, %latch ]
  %turn = {LOOP.format("all")}
{arithmetic}
  %s = {SUM.format("%a11", "turn")}
  %odd = trunc i32 %s to i1
  br i1 %odd, label %latch, label %leave
latch:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %x
  br i1 %more, label %head, label %leave
leave:
  %t = {SUM.format("%x", "all")}
  ret i32 %t
}}"""


def plain(number: int) -> str:
    """A function of 28 lines that no rule can say anything about."""
    arithmetic = "\n".join(f"  %a{k} = mul i32 %{f'a{k - 1}' if k else 'i'}, {k}" for k in range(16))
    return f"""
define i32 @f{number}(i32 %x) {{
start:
  br label %head
head:
  %i = phi i32 [ 0, %start ], [ %next, %latch ]
{arithmetic}
  %odd = trunc i32 %a15 to i1
  br i1 %odd, label %latch, label %leave
latch:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %x
  br i1 %more, label %head, label %leave
leave:
  ret i32 %x
}}"""


def module(lines: int, one_in: int) -> str:
    make: list[Callable[[int], str]] = [plain, with_tokens]
    return "".join(make[number % one_in == 0](number) for number in range(lines // 28)) + DECLARATIONS


def in_a_row(loops: int, token: str = "t{}") -> str:
    """``loops`` loops of four blocks one after the other, hearts on the function's token."""
    lines = ["define void @row(i1 %c) convergent {", "h0:", f"  %t0 = {ENTRY}", "  br label %h1"]
    for k in range(1, loops + 1):
        inside = token.format(k)
        lines += [f"h{k}:", f"  %t{k} = {LOOP.format('t0')}", f"  br i1 %c, label %a{k}, label %l{k}"]
        lines += [f"a{k}:", f"  %x{k} = {SUM.format(1, inside)}", f"  br label %l{k}"]
        lines += [f"l{k}:", f"  %y{k} = {SUM.format(2, inside)}", f"  br i1 %c, label %h{k}, label %e{k}"]
        lines += [f"e{k}:", f"  %z{k} = {SUM.format(3, 't0')}", f"  br label %h{k + 1}"]
    return "\n".join([*lines, f"h{loops + 1}:", "  ret void", "}"]) + DECLARATIONS


def inside_each_other(depth: int) -> str:
    """``depth`` loops, one inside the other, each heart on the token around it, used again on the way out."""
    lines = ["define void @nest(i1 %c) convergent {", "h0:", f"  %t0 = {ENTRY}", "  br label %h1"]
    for k in range(1, depth + 1):
        lines += [f"h{k}:", f"  %t{k} = {LOOP.format(f't{k - 1}')}", f"  br label %h{k + 1}"]
    lines += [f"h{depth + 1}:", f"  br label %l{depth}"]
    for k in range(depth, 0, -1):
        lines += [f"l{k}:", f"  %x{k} = {SUM.format(1, f't{k}')}"]
        lines += [f"  br i1 %c, label %h{k}, label %l{k - 1}"]
    return "\n".join([*lines, "l0:", "  ret void", "}"]) + DECLARATIONS


def llvm(text: str) -> float:
    begin = time.perf_counter()
    parsed = binding.parse_assembly(text)
    with suppress(RuntimeError):  # one module is broken on purpose
        parsed.verify()
    return time.perf_counter() - begin


def ours(text: str) -> tuple[float, float, int]:
    """Seconds to parse what verify needs, seconds for the rules alone, and how many diagnostics."""
    begin = time.perf_counter()
    parsed = parse(text, ask_llvm=False)
    relevance = Relevance(ModuleFacts(parsed))
    for function in parsed.definitions():
        if relevance.of(function):
            assert function.blocks
    middle = time.perf_counter()
    found = len(verify(parsed))
    return middle - begin, time.perf_counter() - middle, found


def main() -> None:
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    cases = {
        "every function with tokens": module(lines, 1),
        "one in a hundred": module(lines, 100),
        "20,000 blocks, loops in a row": in_a_row(5000),
        "20,000 blocks, nested 10,000 deep": inside_each_other(10_000),
        "20,000 blocks, wrong token everywhere": in_a_row(5000, "t0"),
    }
    heads = ("parse s", "rules s", "LLVM s", "rules/LLVM", "both/LLVM")
    print(f"{'':38} {'lines':>7} " + " ".join(f"{head:>10}" for head in heads))
    for name, text in cases.items():
        theirs = llvm(text)
        parsing, rules, found = ours(text)
        columns = [f"{parsing:.2f}", f"{rules:.2f}", f"{theirs:.2f}"]
        columns += [f"{rules / theirs:.1f}", f"{(parsing + rules) / theirs:.1f}"]
        note = f"   {found} diagnostics" if found else ""
        print(f"{name:38} {text.count(chr(10)):7} " + " ".join(f"{c:>10}" for c in columns) + note)


if __name__ == "__main__":
    main()
