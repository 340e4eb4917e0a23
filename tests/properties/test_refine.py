"""Laws of refinement on generated programs: it is reflexive, and blind to names and to independent order."""

from __future__ import annotations

import re
from random import Random

import pytest

from convergence.fuzz.generate import generate
from convergence.parser import parse
from convergence.refine import Refinement, refine

SEEDS = range(24)
PURE = re.compile(r"  %(?P<name>[\w.]+) = (?:add|sub|mul|and|or|xor|icmp|zext|trunc|select|shl) ")


def compared(source: str, target: str) -> Refinement:
    return refine(
        parse(source), parse(target), function="main", max_launches=6, max_executions=200, max_steps=20_000,
        shortcut=False, races=False,
    )  # fmt: skip


def unchanged(found: Refinement) -> bool:
    """Nothing is found to differ; a bound may leave it open whether something does."""
    return found.verdict == "equal" or (found.verdict == "unknown" and found.counterexample is None)


def renamed(text: str) -> str:
    """Other names for all values and blocks."""
    text = re.sub(r"%([A-Za-z_][\w.]*)", r"%\1.other", text)
    return re.sub(r"(?m)^([A-Za-z_][\w.]*):", r"\1.other:", text)


def reordered(text: str, random: Random) -> str:
    """Neighbouring pure instructions exchanged where the second does not use the first."""
    lines = text.splitlines()
    for at in range(len(lines) - 1):
        one, two = PURE.match(lines[at]), PURE.match(lines[at + 1])
        if one and two and random.random() < 0.7:
            if not re.search(rf"%{re.escape(one['name'])}(?![\w.])", lines[at + 1]):
                lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("style", ["controlled", "any"])
def test_every_program_refines_itself(style: str) -> None:
    decided = 0
    for seed in SEEDS:
        text = generate(seed, style).text  # type: ignore[arg-type]
        found = compared(text, text)
        assert unchanged(found), (seed, found)
        decided += found.verdict == "equal"
    assert decided > len(SEEDS) * 3 // 4


def test_names_and_independent_order_do_not_matter() -> None:
    moved = decided = 0
    for seed in SEEDS:
        text = generate(100 + seed, "controlled").text
        other = reordered(renamed(text), Random(seed))
        moved += reordered(text, Random(seed)) != text
        found = compared(text, other)
        assert unchanged(found), (seed, found)
        decided += found.verdict == "equal"
    assert moved > len(SEEDS) // 2
    assert decided > len(SEEDS) * 3 // 4


def test_another_constant_in_what_is_returned_is_seen() -> None:
    """What is never wrong would pass all of the above."""
    seen = 0
    for seed in SEEDS:
        text = generate(200 + seed, "controlled").text
        head, found, tail = text.partition("  ret i32 %")
        if not found:
            continue
        name = re.match(r"[\w.]+", tail)
        assert name is not None
        changed = f"{head}  %changed = add i32 %{name[0]}, 1\n  ret i32 %changed{tail[name.end() :]}"
        seen += compared(text, changed).verdict == "wrong"
    assert seen > len(SEEDS) // 2
