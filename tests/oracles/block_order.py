"""The same program with its blocks in another order of the text: only the entry block has to come first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

_LABEL = re.compile(r"([\w.$-]+):")


def permuted(text: str, random: Random) -> tuple[str, Mapping[str, Mapping[int, int]]]:
    """The module's text with the blocks of each function shuffled, and for each function where its
    instructions were: new index to old one. Blocks have names, and an instruction is one line."""
    lines: list[str] = []
    places: dict[str, Mapping[int, int]] = {}
    function: str | None = None
    blocks: list[list[tuple[int, str]]] = []
    at = 0
    for line in text.splitlines():
        if function is None:
            lines.append(line)
            if line.startswith("define "):
                found = re.search(r"@([\w.]+)\(", line)
                assert found is not None
                function, blocks, at = found[1], [], 0
        elif line == "}":
            order = [*blocks[:1], *random.sample(blocks[1:], len(blocks) - 1)]
            lines += [written for block in order for _, written in block]
            places[function] = _indices(order)
            lines.append(line)
            function = None
        elif line.strip():
            if _LABEL.match(line) or not blocks:
                blocks.append([])
            is_label = _LABEL.match(line) is not None
            blocks[-1].append((-1 if is_label else at, line))
            at += not is_label
    return "\n".join(lines) + "\n", places


def _indices(order: Sequence[Sequence[tuple[int, str]]]) -> Mapping[int, int]:
    old = [index for block in order for index, _ in block if index >= 0]
    return dict(enumerate(old))
