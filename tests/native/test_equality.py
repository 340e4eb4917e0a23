"""Native code and the reference give the same answers, with the same logs, on generated programs.

``make native-equality`` compares many more. The programs here are a few of each kind.

covers: semantics.native.emit, semantics.native.engine, semantics.native.translation, semantics.native.jit,
    semantics.native.registers, semantics.machine.tally
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

from convergence.parser import parse
from convergence.semantics.errors import Endless
from convergence.semantics.machine.launch import launch_spec

from .equality import KINDS, both, differs

CASES = int(os.environ.get("CONVCHECK_CASES", "6"))
FIRST = int(os.environ.get("CONVCHECK_SEED", "0"))

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


@pytest.mark.parametrize("kind", KINDS)
def test_generated_programs(kind: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(FIRST, FIRST + CASES):
        assert differs(kind, seed, seen) is None
    if kind == "arithmetic":
        assert seen["instructions"] > seen["steps"] // 2, seen


def test_what_goes_round_natively_is_found() -> None:
    """A loop comes back to its state: the same answer, after as many steps, though native code ran it."""
    module = parse(SPIN)
    spec = launch_spec(function="f", threads=2, arguments={"x": [0, 3]}, verified=True)
    one, other, run = both(module, spec)
    assert one == other
    assert isinstance(run.ending, Endless)
    assert run.engine is not None and run.engine.instructions > 300
