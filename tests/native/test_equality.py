"""Native code and the reference give the same answers, with the same logs: what has no end, examples, what a
long log only counts.

covers: semantics.machine.tally, semantics.native.emit, semantics.native.engine, semantics.native.jit,
semantics.native.registers
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from convergence.parser import parse
from convergence.semantics import Endless
from convergence.semantics.machine import forgets, passes
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.run import execute
from convergence.semantics.native import engine

from ..cli.cli_harness import ROOT
from .equality import both, example_differs, launched

SPIN = """
define i32 @f(i32 %x) {
entry:
  br label %head
head:
  %i = phi i32 [ %x, %entry ], [ %next, %head ]
  %more = add i32 %i, 1
  %next = urem i32 %more, 7
  %done = icmp eq i32 %next, 9
  br i1 %done, label %out, label %head
out:
  ret i32 %i
}
"""


def test_what_goes_round_natively_is_found() -> None:
    """A loop comes back to its state: the same answer, after as many steps, though native code ran it."""
    module = parse(SPIN)
    spec = launch_spec(function="f", threads=2, arguments={"x": [0, 3]}, verified=True)
    one, other, run = both(module, spec)
    assert one == other
    assert isinstance(run.ending, Endless)
    assert run.engine is not None and run.engine.instructions > 300


def test_examples() -> None:
    """A few of them; ``make native-equality`` compares all."""
    files = sorted((ROOT / "examples_ll").rglob("*.ll"))
    for file in Random("examples").sample(files, 8):
        assert not example_differs(file), file


@pytest.mark.parametrize("kind", ["endless", "arithmetic", "fuzz-uncontrolled"])
def test_visits_that_were_only_counted(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A very long run keeps no visits: they are made again when somebody asks for them."""
    monkeypatch.setattr(engine, "KEPT", 30)
    counted = 0
    for seed in range(4):
        module, spec, _ = launched(kind, seed)
        one, other = (execute(module, replace(spec, engine=name)) for name in ("reference", "native"))
        assert (one.ending, one.execution, one.groups, one.outcome, passes(one.machine.log)) == (
            other.ending, other.execution, other.groups, other.outcome, passes(other.machine.log),
        )  # fmt: skip
        counted += forgets(other.machine.log)
    assert counted or kind == "fuzz-uncontrolled"


SCRATCH = """
target datalayout = "e-p:64:64-p5:32:32-A5"
define i32 @f(i32 noundef %x, ptr noundef align 4 %unused) {
  %slot = alloca i32, align 8, addrspace(5)
  %other = alloca i32, align 4, addrspace(5)
  %cast = addrspacecast ptr addrspace(5) %slot to ptr
  store i32 %x, ptr %cast, align 8
  %kept = load i32, ptr %cast
  ret i32 %kept
}
"""


def test_what_the_reference_defines_at_a_place_is_taken_over() -> None:
    """The checks of parameters have the index of the first instruction, whose result is not there yet."""
    module = parse(SCRATCH)
    spec = launch_spec(function="f", arguments={"x": 5, "unused": "null"}, verified=True)
    one, other, run = both(module, spec)
    assert one == other
    assert run.outcome.threads[0].value == 5
