"""Runs command lines in this process, as a user would, and a few in a real one."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from convergence.cli import invoke

ROOT = Path(__file__).resolve().parents[2]

GOOD = """declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent

define i32 @f(i32 %x) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %s
}
"""
BAD = """declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent

define i32 @f(i32 %x) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B
B:
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  %c = icmp slt i32 %s, 4
  br i1 %c, label %B, label %C
C:
  ret i32 %s
}
"""
WARNED = GOOD.replace("  %s", "  %u = call token @llvm.experimental.convergence.anchor()\n  %s").replace(
    "declare i32", "declare token @llvm.experimental.convergence.anchor()\ndeclare i32"
)


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


class _Stream(io.TextIOWrapper):
    """A text stream over bytes in memory, so that encodings behave as on a real one."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8", newline="")

    def text(self) -> str:
        self.flush()
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode("utf-8")


def convcheck(*arguments: str | Path, stdin: bytes | str = b"") -> Ran:
    """``convcheck ARGUMENTS`` in this process."""
    given = _Stream(stdin.encode() if isinstance(stdin, str) else stdin)
    out, err = _Stream(), _Stream()
    kept = sys.stdin
    sys.stdin = given
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = invoke([str(a) for a in arguments])
    finally:
        sys.stdin = kept
    return Ran(int(code), out.text(), err.text())


def process(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> Ran:
    """``python -m convergence ARGUMENTS`` in a process of its own."""
    found = subprocess.run(
        [sys.executable, "-m", "convergence", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Ran(found.returncode, found.stdout.decode(), found.stderr.decode())


def one_line(text: str) -> bool:
    """Whether standard error is one line of ours and no traceback."""
    return text.startswith("convcheck: ") and text.count("\n") == 1 and "Traceback" not in text


def ll(folder: Path, text: str | bytes, name: str = "a.ll") -> Path:
    """A file with this text."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
