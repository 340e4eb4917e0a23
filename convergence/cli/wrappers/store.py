"""A folder of results, to which many processes write at once.

``results.jsonl`` has a line for each check, or for each reason why nothing was checked; ``cache/`` the
answers by content; ``findings/`` a folder for each finding: ``before.ll``, ``after.ll``, ``finding.json``,
``page.html``.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from errno import ENOENT
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...frozen import dataclass
from ...packages import __version__
from ...report.checked import BuildSummary, CheckedPass, SuiteCounts, checked_pass
from ..plumbing import InputError

RESULTS = "results.jsonl"


@dataclass(frozen=True, slots=True)
class FindingFolder:
    """The folder at ``path``; each line says what it is ``about``, too. ``makes``: where it is not there, it
    is made."""

    path: Path
    about: Mapping[str, str] = field(default_factory=dict)
    makes: bool = True

    def append(self, line: Mapping[str, Any]) -> None:
        """A line of results. One write under a lock: others may be at it. A line that somebody who was ended
        left half is dropped: it would spoil this one."""
        self._ready(self.path)
        data = (json.dumps({**self.about, **line}, sort_keys=True) + "\n").encode()
        with (self.path / RESULTS).open("ab+", buffering=0) as stream:
            with suppress(ImportError, OSError):  # where there are no locks an appending write is one anyway
                import fcntl

                fcntl.flock(stream, fcntl.LOCK_EX)
                _drop_half_a_line(stream)
            stream.write(data)

    def _ready(self, folder: Path) -> None:
        """:raises OSError: if it cannot be made"""
        if not self.makes and not self.path.is_dir():
            raise FileNotFoundError(ENOENT, "the folder is gone", str(self.path))
        folder.mkdir(parents=True, exist_ok=True)

    def skip(self, tool: str, why: str) -> None:
        """Nothing was checked, for a reason."""
        self.append({"tool": tool, "skipped": why})

    def previous_answer(self, key: str) -> dict[str, Any] | None:
        """The answer to the same question before, if there was one."""
        try:
            data: dict[str, Any] = json.loads(self._cached(key).read_text())
            return data
        except (OSError, ValueError):
            return None

    def remember(self, key: str, answer: Mapping[str, Any]) -> None:
        """Keep an answer. It appears whole: by renaming."""
        path = self._cached(key)
        self._ready(path.parent)
        whole(path, json.dumps(answer))

    def _cached(self, key: str) -> Path:
        return self.path / "cache" / key[:2] / f"{key[2:]}.json"

    def finding(self, name: str, files: Mapping[str, str]) -> str:
        """A finding's folder, relative to this one; one that is there is left as it is."""
        folder = self.path / "findings" / name
        self._ready(folder)
        for file, text in files.items():
            if not (folder / file).exists():
                whole(folder / file, text)
        return f"findings/{name}"

    def summary(self) -> BuildSummary:
        """All that the folder holds, nothing where it is none yet. A last line that has no end is no check,
        and said: who wrote it was ended.

        :raises InputError: if it cannot be read, or a line of it is none of ours
        """
        path = self.path / RESULTS
        if not path.exists():
            return BuildSummary((), {})
        try:
            *lines, half = path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
            raise InputError(str(path), why or str(error)) from None
        checks: dict[object, CheckedPass] = {}
        skipped: Counter[str] = Counter(["a line of results that was cut off"] if half else [])
        suite = SuiteCounts()
        for number, line in enumerate(lines, 1):
            try:
                data = json.loads(line)
                if "skipped" in data:
                    skipped[str(data["skipped"])] += 1
                elif "done" in data:
                    suite = suite.with_file(int(data["commands"]))
                elif "agree" in data:
                    suite = suite.with_verified(str(data["file"]), data["agree"], data["ours"])
                else:
                    check = checked_pass(data)
                    places = check.module, check.function, check.step, check.pass_
                    checks[(data["dump"], *places) if "dump" in data else number] = check
            except (ValueError, KeyError, TypeError):
                raise InputError(f"{path}:{number}", "no line of results") from None
        return BuildSummary(tuple(checks.values()), dict(skipped.most_common()), suite)


def _drop_half_a_line(stream: Any) -> None:
    """Of a file that is locked, what stands behind the last end of a line: seldom anything."""
    if not stream.seek(0, os.SEEK_END):
        return
    stream.seek(-1, os.SEEK_END)
    if stream.read(1) != b"\n":
        stream.seek(0)
        stream.truncate(stream.read().rfind(b"\n") + 1)


def key_of(*parts: str) -> str:
    """The name of a question, by its content and the version that answers."""
    digest = sha256()
    for part in (__version__, *parts):
        data = part.encode("utf-8", "surrogateescape")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def whole(path: Path, text: str) -> None:
    """Write a file that nobody sees half."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as stream:
        stream.write(text)
    Path(name).replace(path)
