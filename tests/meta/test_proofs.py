"""The proofs speak of the definition's rules in its own words; ``make proofs`` checks them with Coq."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from convergence.rules import Rule

PROOFS = Path(__file__).parents[2] / "proofs"


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("rule", [Rule.D_ENTRY, Rule.D_LOOP, Rule.D_USE, Rule.D_ANCHOR])
def test_the_relation_quotes_the_rules(rule: Rule) -> None:
    text = words((PROOFS / "Traces.v").read_text(encoding="utf-8"))
    assert f"{rule.id}: {words(rule.sentence)}" in text


def test_every_theorem_is_asked_what_it_rests_on() -> None:
    check = (PROOFS / "Check.v").read_text(encoding="utf-8")
    for path in PROOFS.glob("*.v"):
        for theorem in re.findall(r"^Theorem (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert f"Print Assumptions {theorem}." in check
