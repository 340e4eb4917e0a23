"""A folder of frozen programs, and the command lines that are run on them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

INDEX = "commands.jsonl"


@dataclass(frozen=True, slots=True)
class Commands:
    """A pipe of command lines, each without ``convcheck``; files are named relative to the folder.

    ``kind`` is what is asked (``verify``, ``enumerate``, ``axiomatic``, ...), ``limit`` the seconds of
    processor time after which the answer is ``timeout``.
    """

    id: str
    kind: str
    pipe: tuple[tuple[str, ...], ...]
    limit: float

    @property
    def line(self) -> str:
        """As one would type it, but for quotes."""
        return " | ".join("convcheck " + " ".join(words) for words in self.pipe)


def freeze(folder: Path, commands: Iterable[Commands]) -> int:
    """Write the index of a folder; gives how many lines it has. No id may come twice."""
    known: set[str] = set()
    with (folder / INDEX).open("w") as index:
        for command in commands:
            if command.id in known:
                raise ValueError(f"twice: {command.id}")
            known.add(command.id)
            index.write(json.dumps(asdict(command)) + "\n")
    return len(known)


def read_index(folder: Path) -> Iterator[Commands]:
    """The command lines of a folder, in the order in which they were frozen."""
    with (folder / INDEX).open() as index:
        for text in index:
            entry = json.loads(text)
            pipe = tuple(tuple(words) for words in entry["pipe"])
            yield Commands(entry["id"], entry["kind"], pipe, entry["limit"])
