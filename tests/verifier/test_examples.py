"""The shelf ``examples_ll/rules``: each rule has files that keep it and files that break it, and it alone.

covers: verifier
"""

from __future__ import annotations

from pathlib import Path

import pytest

from convergence.diagnostics import Severity
from convergence.parser import parse
from convergence.rules import Rule, VerifierDifference
from convergence.verifier import verify

SHELF = Path(__file__).resolve().parents[2] / "examples_ll" / "rules"
FILES = sorted(SHELF.glob("[SW]-*.ll"))

ALSO = {
    "S-ENTRY-BLOCK.twice.bad": {"S-ENTRY-FIRST"},
    "S-CYCLE-TWICE.bad": {"S-HEART-DOM"},
    "S-CYCLE-TWO.bad": {"S-LOOP-FIRST", "S-NEST"},
}
"""What else a file breaks, because it cannot but."""


def parts(path: Path) -> tuple[str, str]:
    """The rule and the kind in a file's name."""
    pieces = path.name.split(".")
    return pieces[0], pieces[-2]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_it_breaks(path: Path) -> None:
    found = verify(parse(path.read_text(encoding="utf-8"), path.name))
    broken = {d.rule.id for d in found if d.severity is Severity.ERROR}
    warned = {d.rule.id for d in found if d.severity is Severity.WARNING}
    rule, kind = parts(path)
    match kind:
        case "good":
            assert not found
        case "bad":
            assert broken == {rule} | ALSO.get(path.stem, set())
        case "warns":
            assert not broken
            assert warned == {rule}
        case _:
            pytest.fail(f"{path.name}: neither good nor bad nor warns")


def test_every_rule_has_its_files() -> None:
    shelf = {parts(path) for path in FILES}
    static = {rule.id for rule in Rule if rule.id.startswith("S-")}
    assert {rule for rule, kind in shelf if kind == "bad"} == static
    assert {rule for rule, kind in shelf if kind == "good"} == static
    warned = {rule.id for rule in Rule if rule.id.startswith("W-")}
    assert {rule for rule, kind in shelf if kind == "warns"} == warned


def test_every_known_difference_is_shown() -> None:
    shown = {
        d.difference
        for path in FILES
        for d in verify(parse(path.read_text(encoding="utf-8"), path.name))
        if d.difference is not None
    }
    assert shown == set(VerifierDifference)


def test_the_two_orders_differ_in_nothing_else() -> None:
    a, b = ((SHELF / f"S-NEST.irreducible-{order}.bad.ll").read_text(encoding="utf-8") for order in "ab")
    code = [
        "\n".join(line for line in text.splitlines() if not line.startswith(";")).strip() for text in (a, b)
    ]
    swapped = code[0].replace("label %aside, label %right", "label %right, label %aside")
    assert swapped == code[1]
    assert code[0] != code[1]
