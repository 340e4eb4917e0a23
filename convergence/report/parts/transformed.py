"""A transformed module as text: what was done as comments, the file's own defaults, and the IR."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ...ir.module import Module
from ...transform.infer import Transformed
from .printable import printable


def text(command: str, before: Module, after: Transformed, ir: str) -> str:
    """The answer of ``infer`` and ``inline``; ``ir`` is the module as LLVM IR.

    The file's ``CONVCHECK`` words stay, but for its paths where a function has other blocks now.
    """
    lines = [f"; convcheck {command}: {printable(str(note))}" for note in after.notes]
    words: list[str] = []
    for directive in before.directives:
        try:
            words += directive.words()
        except ValueError:  # a quote that is not closed: the line stays as faulty as it was
            lines.append(f"; CONVCHECK: {directive.text}")
    if not _same_blocks(before, after.module):
        words = _without_paths(words)
    if words:
        lines.append(f"; CONVCHECK: {shlex.join(words)}")
    return "\n".join([*(line.replace("\n", " ") for line in lines), ir])


def _same_blocks(before: Module, after: Module) -> bool:
    return before is after or all(
        [block.name for block in function.blocks] == [b.name for b in after.functions[function.name].blocks]
        for function in before.definitions()
    )


def _without_paths(words: Sequence[str]) -> list[str]:
    """Words without ``--path X`` and ``--path=X``."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--path":
            next(rest, None)
        elif not word.startswith("--path="):
            kept.append(word)
    return kept
