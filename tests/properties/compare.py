"""``convergence.verify`` beside the oracle: where do they differ, and are the witnesses real?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from convergence.diagnostics import Diagnostic, Severity
from convergence.parser import parse
from convergence.source import Span
from convergence.verifier import verify
from tests.oracles.facts import Facts, Violation
from tests.oracles.generate import random_functions
from tests.oracles.model import HEADER, Function, function_text, module_text
from tests.oracles.static_rules import breaks_on_path, violations

PLACED = frozenset(
    {"S-BUNDLE", "S-PRODUCER", "S-ENTRY-FN", "S-ENTRY-FIRST", "S-LOOP-FIRST", "S-LOOP-TOKEN", "S-DOM",
     "S-CYCLE-USE", "S-CYCLE-TWICE", "S-CYCLE-TWO", "S-HEART-DOM", "S-NEST"}
)  # fmt: skip
"""The rules that have one offender each, so that the places must agree too. (Which entry is one too many,
and which side of a mixture is at fault, is a matter of taste.)"""


PAIRS = frozenset({"S-CYCLE-TWICE", "S-CYCLE-TWO"})


def batches(seed: int, count: int, size: int = 250) -> Iterator[list[Function]]:
    """Random functions in lists small enough for one module."""
    for start in range(0, count, size):
        yield random_functions(seed * 1_000_003 + start, min(size, count - start))


def errors(functions: Sequence[Function], ask_llvm: bool = True) -> list[list[Diagnostic]]:
    """What the verifier says about each function, all of them in one module; warnings left out."""
    text = module_text(list(functions))
    found: list[list[Diagnostic]] = [[] for _ in functions]
    for diagnostic in verify(parse(text, "random.ll", ask_llvm=ask_llvm)):
        if diagnostic.severity is Severity.ERROR:
            found[int(diagnostic.function.removeprefix("@").removeprefix("f"))].append(diagnostic)
    return found


class Lines:
    """Which item of a function a diagnostic points at, by its line in the module's text."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self.starts: list[int] = []  # of lines that hold items, with their places
        self.places: list[tuple[int, int, int]] = []
        start = len(HEADER)
        for number, function in enumerate(functions):
            block, position = -1, 0
            for content in function_text(function, number).splitlines(keepends=True):
                if content.startswith("b"):
                    block, position = block + 1, 0
                elif content.startswith("  ") and "landingpad" not in content:
                    self.starts.append(start)
                    self.places.append((number, block, position))
                    position += 1
                start += len(content)

    def place(self, span: Span) -> tuple[int, int, int] | None:
        """(function, block, position) of the instruction that a span starts in."""
        after = bisect_right(self.starts, span.start)
        return self.places[after - 1] if after else None


def disagreement(functions: Sequence[Function]) -> Iterator[tuple[Function, str]]:
    """Each function on which verifier and oracle differ, and how."""
    lines = Lines(functions)
    for number, (function, said) in enumerate(zip(functions, errors(functions), strict=True)):
        expected = violations(function)
        difference = _rules(expected, said) or _places(number, expected, said, lines)
        if not difference and said:
            difference = _witnesses(number, function, said, lines)
        if difference:
            yield function, difference


def _rules(expected: frozenset[Violation], said: list[Diagnostic]) -> str:
    ours, theirs = {v.rule for v in expected}, {d.rule.id for d in said}
    if ours == theirs:
        return ""
    return f"only the oracle: {sorted(ours - theirs)}; only the verifier: {sorted(theirs - ours)}"


def _places(number: int, expected: frozenset[Violation], said: list[Diagnostic], lines: Lines) -> str:
    ours = {(v.rule, (number, v.block, v.position)) for v in expected if v.rule in PLACED}
    theirs = {(d.rule.id, lines.place(d.span)) for d in said if d.rule.id in PLACED}
    for diagnostic in said:  # the first of the two uses that disturb each other may be a label
        if diagnostic.rule.id in PAIRS:
            labels = {(diagnostic.rule.id, lines.place(label.span)) for label in diagnostic.labels}
            theirs |= labels & ours
    if ours == theirs:
        return ""
    return f"other places: only the oracle {ours - theirs}; only the verifier {theirs - ours}"


def _witnesses(number: int, function: Function, said: list[Diagnostic], lines: Lines) -> str:
    facts = Facts(function)
    for diagnostic in said:
        rule, witness, place = diagnostic.rule.id, diagnostic.witness, lines.place(diagnostic.span)
        if witness is None:
            return f"{rule} without witness"
        blocks = [int(name.removeprefix("%").removeprefix("b")) for name in witness.blocks]
        needs_path = rule in ("S-CYCLE-USE", "S-CYCLE-TWICE", "S-CYCLE-TWO", "S-HEART-DOM")
        if needs_path != (witness.kind == "closed-path"):
            return f"{rule} with a witness of kind {witness.kind}"
        if needs_path:
            steps = zip(blocks, [*blocks[1:], *blocks[:1]], strict=True)
            if not blocks or not all(b in function.blocks[a].targets for a, b in steps):
                return f"{rule}: {blocks} is no closed path"
            if len(set(blocks)) < len(blocks):
                return f"{rule}: {blocks} meets a block twice"
            broken = breaks_on_path(facts, rule, frozenset(blocks))
            if not any((number, v.block, v.position) == place for v in broken):
                return f"{rule}: on {blocks} nothing at {place} breaks it"
        if rule == "S-NEST" and not any(
            set(blocks) == {point.block for point in region}
            and any((number, v.block, v.position) == place for v in broken)
            for region, broken in facts.nesting
        ):
            return f"{rule}: {blocks} is no region in which {place} breaks it"
    return ""
