"""The example files of the rules: inside an installed package, or beside it in a checkout."""

from __future__ import annotations

import re
from pathlib import Path

from ...report.explain import Example
from ...rules import Rule
from .check_lines import program, recorded

_PACKAGE = Path(__file__).resolve().parents[2]
_ORDER = {"good": 0, "shows": 0, "bad": 1, "excludes": 1}


def folder() -> Path | None:
    """Where the rules' examples are; ``None`` if they were not installed."""
    for candidate in (_PACKAGE / "examples" / "rules", _PACKAGE.parent / "examples_ll" / "rules"):
        if candidate.is_dir():
            return candidate
    return None


def examples(rule: Rule) -> list[Example]:
    """The files ``RULE.KIND.ll`` of a rule: first what keeps or shows it, then what breaks it or what it
    excludes, then others."""
    where = folder()
    if where is None:
        return []
    named = re.compile(re.escape(rule.id) + r"\.(.+)\.ll\Z")
    shelf = [_example(match[1], path) for path in where.iterdir() if (match := named.match(path.name))]
    return sorted(shelf, key=lambda example: (_ORDER.get(example.kind, 2), example.kind))


def _example(kind: str, path: Path) -> Example:
    text = path.read_text(encoding="utf-8")
    runs = tuple(
        (" ".join(["convcheck", *map(_quoted, arguments)]).replace("%s", path.name), output)
        for arguments, output in recorded(text)
    )
    return Example(kind, path.name, program(text), runs)


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word
