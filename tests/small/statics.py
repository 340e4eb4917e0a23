"""The static rules on small programs: the verifier, the brute-force oracle, and LLVM's verifier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.differential.test_llvm_verifier import unexplained
from tests.oracles.gaps import gaps
from tests.oracles.llvm import verifier_messages
from tests.oracles.model import Function, function_text
from tests.oracles.static_rules import violations
from tests.properties.compare import disagreement

BATCH = 400
"""Programs in one module."""


class Difference(AssertionError):
    """Two that should say the same of a program do not."""


def compare(functions: Sequence[Function], llvm: bool = True) -> tuple[Counter[str], list[Function]]:
    """How many programs are accepted, and rejected, and in how many LLVM differs as it is known to; and those
    that are accepted. Raises Difference with the program's text."""
    counts: Counter[str] = Counter()
    accepted = []
    for function, difference in disagreement(functions):
        raise Difference(f"{difference}\n{function_text(function)}")
    messages = verifier_messages(list(functions)) if llvm else None
    for number, function in enumerate(functions):
        broken = violations(function)
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
