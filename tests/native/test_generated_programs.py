"""Native code and the reference give the same answers, with the same logs, on generated programs; those of
every fourth seed on a lock-step machine, too.

The programs here are a few of each kind; ``make native-equality`` compares 100,000, part by part.

covers: semantics.native.emit, semantics.native.jit, semantics.native.lanes, semantics.native.registers
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable

import pytest

from convergence.semantics.native import jit

from .equality import KINDS, differs, launched, machine_differs

CASES = int(os.environ.get("CONVCHECK_CASES", "6"))
FIRST = int(os.environ.get("CONVCHECK_SEED", "0"))


@pytest.mark.parametrize(
    ("kind", "seed", "machine"),
    [
        ("fuzz-controlled", 1054, "heart"),
        ("fuzz-memory", 1049, "heart"),
        ("fuzz-memory", 3584, "heart"),
        ("arithmetic", 809, "mask-stack"),
    ],
)
def test_programs_that_differed(kind: str, seed: int, machine: str) -> None:
    """Lanes that came back from a call where one had been native before; D-SYNC in a run that a bound cut;
    threads of a subgroup that come apart to a workgroup's barrier; the order of counts, which is none."""
    module, spec, _ = launched(kind, seed)
    assert differs(kind, seed, Counter(), machine=False) is None
    assert machine_differs(module, spec, machine, Counter()) is None


@pytest.mark.parametrize("kind", KINDS)
def test_code_that_is_made_in_a_hurry_gives_the_same(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is of texts that are too long for more."""
    monkeypatch.setattr(jit, "HUGE", 0)
    monkeypatch.setattr(jit, "_known", {})
    monkeypatch.setenv("CONVCHECK_NATIVE_CACHE", "")
    for seed in range(FIRST, FIRST + 2):
        assert differs(kind, seed, Counter(), machine=seed % 2 == 1) is None


@pytest.mark.parametrize("kind", KINDS)
def test_generated_programs(kind: str, record_property: Callable[[str, object], None]) -> None:
    seen: Counter[str] = Counter()
    for seed in range(FIRST, FIRST + CASES):
        assert differs(kind, seed, seen, machine=seed % 4 == 1) is None
    record_property("programs", CASES)
    for what in ("lanes natively", "unattended"):
        record_property(what, seen[what])
    if kind == "arithmetic":
        assert seen["instructions"] > seen["steps"] // 2, seen
