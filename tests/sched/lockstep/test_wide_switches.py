"""A switch with many cases is prepared in time linear in the cases: what is looked at is counted.

covers: sched.lockstep.masked_code, sched.lockstep.policies.structured, semantics.threads.translation
"""

from __future__ import annotations

import sys
from types import FrameType, SimpleNamespace
from typing import Any, cast

import pytest

from convergence import parse
from convergence.ir.instructions import Phi
from convergence.sched.lockstep.masked_code import Coder, Structure
from convergence.sched.lockstep.policies.exec_mask import ExecRegister
from convergence.sched.lockstep.policies.structured import _ordered
from convergence.sched.lockstep.policy import Facts, MachineOptions
from convergence.semantics import Returned
from convergence.semantics.machine.launch import LaunchSpec
from convergence.semantics.machine.run import execute


def switch(cases: int) -> str:
    names = range(cases)
    table = "\n".join(f"    i32 {n}, label %b{n}" for n in names)
    bodies = "\n".join(f"b{n}:\n  %r{n} = add i32 %x, {n}\n  br label %join" for n in names)
    values = ", ".join(f"[ %r{n}, %b{n} ]" for n in names)
    return (
        f"define i32 @f(i32 %x) {{\nentry:\n  switch i32 %x, label %join [\n{table}\n  ]\n{bodies}\n"
        f"join:\n  %s = phi i32 [ -1, %entry ], {values}\n  ret i32 %s\n}}\n"
    )


def test_the_incoming_values_of_a_phi_are_read_once_and_not_for_each_edge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads = 0
    plain = Phi.__dict__["incoming"]

    def counted(phi: Phi) -> Any:
        nonlocal reads
        reads += 1
        return plain.__get__(phi)

    counts = []
    for cases in (10, 80):
        module, reads = parse(switch(cases)), 0
        assert len(module.functions["f"].blocks) == cases + 2  # a body is read when it is asked for
        with monkeypatch.context() as patched:
            patched.setattr(Phi, "incoming", property(counted))
            run = execute(module, LaunchSpec(threads=2, arguments={"x": (3, 99)}, verified=True))
        assert isinstance(run.ending, Returned)
        counts.append(reads)
    assert counts[0] == counts[1]


class Ranks(dict[int, int]):
    """Ranks that count how often they are asked for."""

    asked = 0

    def __getitem__(self, key: int) -> int:
        self.asked += 1
        return super().__getitem__(key)


@pytest.mark.parametrize("cases", [20, 400])
def test_blocks_are_ordered_with_few_looks_at_each(cases: int) -> None:
    successors = [set(range(1, cases + 2)), *({cases + 1} for _ in range(cases)), set()]
    facts = cast(Any, SimpleNamespace(cfg=SimpleNamespace(successors=successors)))
    ranks = Ranks((block, block) for block in range(cases + 2))
    loop = frozenset(range(1, cases + 1))
    for sets in (set[frozenset[int]](), {loop}):
        ranks.asked = 0
        order = _ordered(facts, frozenset(range(cases + 2)), None, sets, ranks)
        assert order == list(range(cases + 2))
        assert ranks.asked < 8 * (cases + 2)


def lines_run(coder: Coder) -> int:
    """How many lines making the code runs; each turn of a loop counts."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        coder.code()
    finally:
        sys.settrace(before)
    return count


def test_code_on_masks_is_made_in_linear_time() -> None:
    counts = []
    for cases in (50, 400):
        structure = Structure(Facts(parse(switch(cases)).functions["f"]), ())
        counts.append(lines_run(Coder(structure, ExecRegister(structure, MachineOptions()))))
    assert counts[1] < 12 * counts[0]  # eight times the cases
