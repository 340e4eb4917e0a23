"""The example files of the rules: inside an installed package, or beside it in a checkout."""

from __future__ import annotations

import re
from pathlib import Path

from ..report.explain import Example
from ..rules import Rule

_PACKAGE = Path(__file__).resolve().parent.parent
_ORDER = {"good": 0, "bad": 1}


def folder() -> Path | None:
    """Where the rules' examples are; ``None`` if they were not installed."""
    for candidate in (_PACKAGE / "examples" / "rules", _PACKAGE.parent / "examples_ll" / "rules"):
        if candidate.is_dir():
            return candidate
    return None


def examples(rule: Rule) -> list[Example]:
    """The files ``RULE.KIND.ll`` of a rule: first what keeps it, then what breaks it, then others."""
    where = folder()
    if where is None:
        return []
    named = re.compile(re.escape(rule.id) + r"\.(.+)\.ll\Z")
    found = [
        Example(match[1], path.name, path.read_text(encoding="utf-8"))
        for path in where.iterdir()
        if (match := named.match(path.name))
    ]
    return sorted(found, key=lambda example: (_ORDER.get(example.kind, 2), example.kind))
