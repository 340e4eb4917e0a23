"""The static rules on small programs: the verifier, the brute-force oracle, and LLVM's verifier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from convergence.diagnostics import Severity
from convergence.verifier import verify
from tests.differential.test_llvm_verifier import unexplained
from tests.oracles.facts import Violation
from tests.oracles.gaps import gaps
from tests.oracles.llvm import verifier_messages
from tests.oracles.model import Function, function_text
from tests.oracles.static_rules import violations
from tests.properties.compare import disagreement
from tests.small.modules import EFFECT, Maker

BATCH = 400
"""Programs in one module."""


class Difference(AssertionError):
    """Two that should say the same of a program do not."""


@cache
def maker() -> Maker:
    """What makes modules for the verifier."""
    return Maker(EFFECT)


def other_rules(functions: Sequence[Function], expected: Sequence[frozenset[Violation]]) -> Iterator[str]:
    """Where the verifier breaks other rules than the oracle; places and witnesses are not looked at."""
    said: list[set[str]] = [set() for _ in functions]
    for diagnostic in verify(maker().module(list(functions))):
        if diagnostic.severity is Severity.ERROR:
            said[int(diagnostic.function.removeprefix("@").removeprefix("f"))].add(diagnostic.rule.id)
    for function, theirs, ours in zip(functions, said, expected, strict=True):
        if theirs != (rules := {v.rule for v in ours}):
            yield f"oracle: {sorted(rules)}; verifier: {sorted(theirs)}\n{function_text(function)}"


def compare(
    functions: Sequence[Function], llvm: bool = True, quick: bool = False
) -> tuple[Counter[str], list[Function]]:
    """How many programs are accepted, and rejected, and in how many LLVM differs as it is known to; and those
    that are accepted. ``quick`` compares which rules are broken, and not where and with what witness.
    Raises Difference with the program's text."""
    counts: Counter[str] = Counter()
    accepted = []
    verdicts = [violations(function) for function in functions]
    if quick:
        for difference in other_rules(functions, verdicts):
            raise Difference(difference)
    else:
        for function, difference in disagreement(functions):
            raise Difference(f"{difference}\n{function_text(function)}")
    messages = verifier_messages(list(functions)) if llvm else None
    for number, (function, broken) in enumerate(zip(functions, verdicts, strict=True)):
        counts["rejected" if broken else "accepted"] += 1
        for rule in {v.rule for v in broken}:
            counts[f"broken: {rule}"] += 1
        if not broken:
            accepted.append(function)
        if messages is None:
            continue
        rejected = bool(messages[number])
        if rejected != bool(broken):
            if why := unexplained(function, rejected):
                raise Difference(f"{why}\n{function_text(function)}")
            for gap in gaps(function):
                counts[f"known difference: {gap}"] += 1
    return counts, accepted
