"""What ``convcheck explain`` says about one rule, or about all of them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from ..rules import Rule
from .parts.style import PLAIN, Style
from .why import why

WIDTH = 100
_KINDS = {
    "S": "Static rules: an error",
    "W": "Warnings: legal but suspicious",
    "D": "Dynamic rules: what an execution obeys",
}


@dataclass(frozen=True, slots=True)
class Example:
    """One example file of a rule.

    ``kind``  ``good``, ``bad``, ``shows``, ``nested.bad``, ...: what stands between rule and suffix
    ``name``  the file's name
    ``text``  the program, without the lines that are for the test runner
    ``runs``  commands and all that they print, where the file records that
    """

    kind: str
    name: str
    text: str
    runs: tuple[tuple[str, str], ...] = ()


_HEADINGS = {
    "good": "Keeps it",
    "bad": "Breaks it",
    "warns": "Is warned about",
    "shows": "Shows it",
    "excludes": "Has no execution that breaks it",
}


def heading(kind: str) -> str:
    """What an example of a kind such as ``bad`` or ``callbr.bad`` shows."""
    return _HEADINGS.get(kind.rpartition(".")[2], "Example")


def _shown(example: Example, style: Style) -> str:
    """An example under its heading: the program, then what commands print for it."""
    parts = [example.text, *(f"$ {command}\n{output}" for command, output in example.runs)]
    indented = textwrap.indent("\n".join(parts), "  ", lambda line: bool(line.strip()))
    return f"{style.strong(heading(example.kind))} ({example.name}):\n\n{indented.rstrip()}"


def rule(value: Rule, examples: Sequence[Example], more: Sequence[str] = (), style: Style = PLAIN) -> str:
    """One rule: title, sentence, reason, LLVM's document, its examples, and the names of ``more`` of them."""
    parts = [
        f"{style.strong(value.id)}: {value.title}",
        textwrap.fill(value.sentence, WIDTH),
        textwrap.fill("Why: " + why(value), WIDTH),
        f"LLVM's document: {value.link}",
    ]
    parts += [_shown(example, style) for example in examples]
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
