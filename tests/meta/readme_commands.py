"""The ``console`` blocks of a page: commands after ``$``, and what they print below."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Command:
    """One command line and the output that the page shows for it."""

    line: str
    output: str

    @property
    def words(self) -> list[str]:
        return shlex.split(self.line)


def commands(page: str) -> list[Command]:
    """Every command of a page, in order."""
    found = []
    for block in _BLOCK.findall(page):
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = piece.partition("\n")
            found.append(Command(line, output))
    return found


def update(page: str, outputs: list[str]) -> str:
    """The page with the commands' real outputs, in order."""
    rest = iter(outputs)

    def block(match: re.Match[str]) -> str:
        lines = [line for line in match[1].splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"{line}\n{next(rest)}" for line in lines) + "```"

    return _BLOCK.sub(block, page)
