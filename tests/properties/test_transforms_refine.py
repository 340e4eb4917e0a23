"""Inlining keeps what threads do, as ``refine`` sees it; inferred tokens keep what one thread does."""

from __future__ import annotations

from convergence.parser import parse
from convergence.refine import refine
from convergence.transform.infer import inferred
from convergence.transform.inline import inlined
from tests.oracles.programs_draw import Shape
from tests.oracles.programs_generate import random_case


def test_inlining_refines() -> None:
    """Without anchors the two are equal; with anchors copies may do less, never more."""
    equal = less = 0
    for seed in range(60):
        anchors = seed % 3 == 2
        shape = Shape(anchors=anchors, calls=4, helpers=1, statements=5, depth=1, threads=2, most=2)
        case = random_case(seed, shape)
        before = parse(str(case.program))
        made = inlined(before)
        if made.module is before:
            continue
        columns = {name: [row[i] for row in case.arguments] for i, name in enumerate(("a", "b"))}
        found = refine(
            before, made.module, function="main", arguments=columns, timeout=2.0, max_executions=300
        )
        if found.verdict == "unknown":
            assert anchors
            continue
        assert found.verdict in (("equal", "refines") if anchors else ("equal",)), str(case.program)
        equal += found.verdict == "equal"
        less += found.verdict == "refines"
    assert equal > 15


def test_inferring_keeps_one_thread() -> None:
    """With one thread all models are the same, so a function and its controlled form are equal."""
    compared = 0
    for seed in range(40):
        shape = Shape(controlled=False, unstructured=seed % 2 == 1, helpers=1, statements=5, depth=2)
        case = random_case(seed, shape)
        before = parse(str(case.program))
        made = inferred(before)
        if made.module is before:
            continue
        arguments = dict(zip(("a", "b"), case.arguments[0], strict=True))
        found = refine(
            before, made.module, function="main", threads=1, arguments=arguments, models=["maximal"],
            timeout=5.0,
        )  # fmt: skip
        assert found.verdict == "equal", (str(case.program), found)
        compared += 1
    assert compared > 20
