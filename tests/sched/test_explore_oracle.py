"""Enumeration against the brute-force oracle, on generated programs without memory, in every mode.

A longer campaign: ``CONVCHECK_CASES=2000 python -m pytest tests/sched/test_explore_oracle.py``.
"""

from __future__ import annotations

import os

import pytest

from convergence.parser import parse
from convergence.sched.enumeration import Enumeration
from tests.launches import explore
from tests.oracles.dynamic import Alignment, Mode
from tests.oracles.dynamic_search import legal
from tests.oracles.dynamic_traces import MASK, TooLong
from tests.oracles.programs_draw import Case
from tests.oracles.programs_generate import random_case
from tests.properties.test_dynamic_run import KINDS

CASES = int(os.environ.get("CONVCHECK_CASES", "16"))
FIRST = int(os.environ.get("CONVCHECK_SEED", "0"))
MOST = 400


def enumerated(case: Case, mode: Mode, size: int | None, prune: bool) -> Enumeration:
    columns = zip(*case.arguments, strict=True)
    return explore(
        parse(str(case.program)),
        function=case.program.launched.name,
        threads=case.threads,
        subgroup_size=size,
        arguments={p: list(c) for p, c in zip(case.program.launched.parameters, columns, strict=True)},
        uncontrolled=mode,
        prune=prune,
        max_executions=MOST,
    )


@pytest.mark.parametrize("prune", [True, False], ids=["pruned", "all"])
@pytest.mark.parametrize("kind", KINDS)
def test_alignments_and_what_they_return(kind: str, prune: bool) -> None:
    shape, mode = KINDS[kind]
    compared = 0
    for seed in range(FIRST, FIRST + CASES):
        case, size = random_case(100_000 + seed, shape), (None, None, 2)[seed % 3]
        try:
            expected = legal(case, mode, size, 300, 200)
        except TooLong:
            continue
        found = enumerated(case, mode, size, prune)
        pairs: set[tuple[Alignment, tuple[int, ...]]] = set()
        for alignment in found.alignments:
            relation = frozenset(
                frozenset((i.thread, i.site.function, i.site.index, i.nth) for i in group)
                for group in alignment.alignment
            )
            for place in alignment.outcomes:
                threads = found.outcomes[place].outcome.threads
                values = tuple(t.value & MASK for t in threads if isinstance(t.value, int))
                pairs.add((relation, values))
        wanted = {(e.alignment, tuple(t.returned & MASK for t in e.outcome)) for e in expected}
        assert pairs == wanted if found.complete else pairs <= wanted, (seed, mode, size, case)
        compared += found.complete
    assert compared > CASES // 3
