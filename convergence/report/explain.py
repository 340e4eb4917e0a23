"""What ``convcheck explain`` says about one rule, or about all of them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from ..rules import Rule
from .style import PLAIN, Style
from .why import why

WIDTH = 100
_KINDS = {
    "S": "Static rules: an error",
    "W": "Warnings: legal but suspicious",
    "D": "Dynamic rules: what an execution obeys",
}


@dataclass(frozen=True, slots=True)
class Example:
    """One example file of a rule: its ``kind`` (``good``, ``bad``, ...), its ``name``, its ``text``."""

    kind: str
    name: str
    text: str


_HEADINGS = {"good": "Keeps it", "bad": "Breaks it", "warns": "Is warned about"}


def _heading(kind: str) -> str:
    """What an example of a kind such as ``bad`` or ``callbr.bad`` shows."""
    return _HEADINGS.get(kind.rpartition(".")[2], "Example")


def _without_test_lines(text: str) -> str:
    """An example without its ``RUN:`` and ``CHECK:`` lines, which are for the test runner."""
    kept: list[str] = []
    for line in text.splitlines():
        if line.lstrip().startswith(";") and any(word in line for word in ("RUN:", "CHECK")):
            continue
        if line.strip() not in ("", ";") or (kept and kept[-1]):
            kept.append("" if line.strip() in ("", ";") else line)
    return "\n".join(kept).strip("\n")


def rule(value: Rule, examples: Sequence[Example], more: Sequence[str] = (), style: Style = PLAIN) -> str:
    """One rule: title, sentence, reason, LLVM's document, its examples, and the names of ``more`` of them."""
    parts = [
        f"{style.strong(value.id)}: {value.title}",
        textwrap.fill(value.sentence, WIDTH),
        textwrap.fill("Why: " + why(value), WIDTH),
        f"LLVM's document: {value.link}",
    ]
    for example in examples:
        indented = textwrap.indent(_without_test_lines(example.text), "  ", lambda line: bool(line.strip()))
        parts.append(f"{style.strong(_heading(example.kind))} ({example.name}):\n\n{indented}")
    if more:
        named = "More examples, with --all: " + ", ".join(more)
        parts.append(textwrap.fill(named, WIDTH, break_on_hyphens=False))
    return "\n\n".join(parts) + "\n"


def rules(style: Style = PLAIN) -> str:
    """All rules, one a line, by kind."""
    lines: list[str] = []
    width = max(len(value.id) for value in Rule)
    for kind, heading in _KINDS.items():
        lines += [style.strong(heading)]
        lines += [f"  {value.id:<{width}}  {value.title}" for value in Rule if value.id.startswith(kind)]
        lines += [""]
    return "\n".join([*lines, "convcheck explain RULE says more about one."]) + "\n"
