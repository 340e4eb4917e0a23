"""What a suite asks: which files, and of each which commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from ...frozen import dataclass
from ..plumbing.output import InputError
from ..wrappers.store import key_of

CONVERGES = re.compile(r"\bconvergen|@\"?llvm\.(?:amdgcn|nvvm|spv|dx|r600)\.")
"""What a file mentions that may hold convergent operations: the word, or an intrinsic of a machine, whose
attributes LLVM knows."""
ENDINGS = (".ll",)
INPUTS = "Inputs"
"""LLVM's name for folders of what other files' commands read."""


@dataclass(frozen=True, slots=True)
class SuitePlan:
    """What is asked of each file: its own commands where ``own``, opt with each of ``passes`` for the file's
    own machine, and where ``verify`` whether convcheck and LLVM agree that it is valid.

    ``budget`` is in seconds for a function and pass, ``file_limit`` for a file. Of the commands each
    ``every``-th is run, by a hash of its name, so that a sample does not hang on the order of files.
    ``tools`` are programs by the names that RUN lines call them.
    """

    own: bool = True
    passes: tuple[str, ...] = ()
    verify: bool = False
    budget: float = 2.0
    file_limit: float = 300.0
    every: int = 1
    tools: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "own": self.own, "passes": list(self.passes), "verify": self.verify, "budget": self.budget,
            "file_limit": self.file_limit, "every": self.every, "tools": dict(self.tools),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SuitePlan:
        return cls(**{**data, "passes": tuple(data["passes"])})

    def takes(self, question: str) -> bool:
        """Whether a command is in the sample."""
        return int.from_bytes(sha256(question.encode()).digest()[:8], "big") % self.every == 0


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """A test: ``name`` is what it is called in the results, relative to the folder that was given. ``key`` is
    for its content and the plan: it is asked again only if that changes."""

    path: Path
    name: str
    key: str


def files_of(roots: Iterable[str], plan: SuitePlan, only: str = "") -> Iterator[SuiteFile]:
    """The tests below folders, and files that are named. Of a folder those that may hold convergent
    operations, but for what stands in ``Inputs``; ``only``: with this word in their names. Their order has
    nothing to do with their names, so that what is answered first is a fair sample.

    :raises InputError: for what is not there
    """
    known: dict[Path, SuiteFile] = {}
    for root in map(Path, roots):
        for path, name in _below(root):
            if only not in name or path in known:
                continue
            try:
                text = path.read_text(encoding="utf-8")
            except (UnicodeDecodeError, OSError):
                continue
            if path == root or CONVERGES.search(text):
                known[path] = SuiteFile(path, name, key_of(name, text, repr(plan)))
    yield from sorted(known.values(), key=lambda file: file.key)


def _below(root: Path) -> Iterator[tuple[Path, str]]:
    if root.is_file():
        yield root.resolve(), root.name
        return
    if not root.is_dir():
        raise InputError(str(root), "no such file or folder")
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix in ENDINGS and INPUTS not in PurePosixPath(name).parts and path.is_file():
            yield path.resolve(), name
