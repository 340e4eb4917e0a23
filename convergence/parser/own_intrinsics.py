"""What is known of intrinsics without LLVM: the attributes of its table, as they were when it was asked.

``intrinsics.txt`` is generated (``make intrinsics``): llvmlite was asked for the attributes of every
intrinsic, and a test holds the table equal to what it says. A line is a set of attribute words, and the names
that have it, in order, each with the length of what it begins with as its predecessor does.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import cache
from itertools import takewhile
from pathlib import Path

TABLE = Path(__file__).with_name("intrinsics.txt")
_WORD = re.compile(r"[^\s()]+(?:\([^()]*\))?")


def table_text(attributes: Mapping[str, frozenset[str]]) -> str:
    """The text of a table."""
    sets: dict[str, list[str]] = {}
    for name in sorted(attributes):
        sets.setdefault(" ".join(sorted(attributes[name])), []).append(name)
    lines = []
    for words in sorted(sets):
        before = ""
        parts = []
        for name in sets[words]:
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, name, strict=False)))
            bar = "|" if name[same : same + 1].isdigit() else ""
            parts.append(f"{same}{bar}{name[same:]}")
            before = name
        lines.append(f"{words}: {' '.join(parts)}\n")
    return "".join(lines)


@cache
def table() -> Mapping[str, frozenset[str]]:
    """The attribute words of each intrinsic, by its name without suffixes of types."""
    sets: dict[str, frozenset[str]] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        words, _, names = line.rpartition(": ")
        known = frozenset(_WORD.findall(words))
        before = ""
        for part in names.split():
            digits = len(part) - len(part.lstrip("0123456789"))
            before = before[: int(part[:digits])] + part[digits:].removeprefix("|")
            sets[before] = known
    return sets


def longest(name: str, known: Container[str]) -> str | None:
    """The intrinsic that a name with suffixes of types is about: the longest known one that begins it."""
    while name not in known:
        name, dot, _ = name.rpartition(".")
        if not dot:
            return None
    return name


def attributes(name: str) -> frozenset[str]:
    """The attribute words of an intrinsic as a text names it; none for a name that is no intrinsic."""
    base = longest(name, table())
    return frozenset() if base is None else table()[base]
