"""The entry points. The tool runs first, and as it was asked to; what is checked comes after it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from traceback import format_exception_only

from .tool import CLANG, LLC, OPT, Tool, inputs, reads_standard_input

FOLDER, BUDGET = "CONVCHECK_DIR", "CONVCHECK_BUDGET"
"""The environment's names for the folder of results, and for the seconds for a function and pass."""
SECONDS = 2.0
_BITCODE = (b"BC", b"\xde\xc0")
_CONVERGES = re.compile(rb"convergen|@\"?llvm\.(?:amdgcn|nvvm|spv|dx|r600)\.")
_PATIENCE = 60.0
"""Seconds that the tool has to print its modules, besides ten times those that it took."""


def opt() -> None:
    """``convcheck-opt``."""
    sys.exit(stand_for(OPT, sys.argv[1:]))


def llc() -> None:
    """``convcheck-llc``."""
    sys.exit(stand_for(LLC, sys.argv[1:]))


def clang() -> None:
    """``convcheck-clang``."""
    sys.exit(stand_for(CLANG, sys.argv[1:]))


def stand_for(tool: Tool, arguments: Sequence[str]) -> int:
    """Run the tool, check what it did, and give its exit status; a signal's as a shell does, 128 more."""
    program = tool.program()
    if program is None:
        print(
            f"convcheck-{tool.name}: there is no {tool.name} on PATH ({tool.variable} names one)",
            file=sys.stderr,
        )
        return 127
    checks = tool.dumping(arguments) is not None
    data: bytes | None = None
    if checks and tool is not CLANG and reads_standard_input(arguments):
        data = sys.stdin.buffer.read()
    begun = time.monotonic()
    code = subprocess.run([program, *arguments], input=data, check=False).returncode
    if code == 0 and checks and may_converge(tool, arguments, data):
        _check(tool, program, arguments, data, _PATIENCE + 10 * (time.monotonic() - begun))
    return code if code >= 0 else 128 - code


def may_converge(tool: Tool, arguments: Sequence[str], data: bytes | None) -> bool:
    """Whether an input can hold convergent code, as far as a look at its bytes says: text without the word
    has none, but for intrinsics of machines, whose attributes LLVM knows. Of bitcode and of a source it
    cannot be told."""
    if tool is CLANG:
        return True
    try:
        texts = [data] if data is not None else [path.read_bytes() for path in inputs(arguments)]
    except OSError:
        return False
    return any(text[:2] in _BITCODE or _CONVERGES.search(text) is not None for text in texts)


class Unprinted(Exception):
    """A tool does not print its modules: the message says why."""


def printed_modules(
    tool: Tool,
    program: str,
    arguments: Sequence[str],
    data: bytes | None,
    patience: float,
    folder: Path | None = None,
) -> str | None:
    """What a tool, which is this program, prints of its modules, called with these arguments, in ``folder``;
    ``None`` where there is nothing to check.

    :raises Unprinted: if it fails, or does not end in ``patience`` seconds
    """
    dumping = tool.dumping(arguments)
    if dumping is None:
        return None
    try:
        done = subprocess.run(
            [program, *dumping], input=data if data is not None else b"", stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, timeout=patience, check=False, cwd=folder,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Unprinted("printing its modules took too long") from None
    if done.returncode:
        raise Unprinted(f"it does not print its modules with these arguments{_complaint(done.stderr)}")
    return done.stderr.decode("utf-8", "surrogateescape") if b"convergent" in done.stderr else None


def _plain(word: str) -> str:
    """A word of a command without this machine's paths: a file's name alone."""
    return Path(word).name if Path(word).is_absolute() else word


def _complaint(printed: bytes) -> str:
    """A tool's first complaint, without the paths in it."""
    lines = printed[:100_000].decode("utf-8", "replace").splitlines()
    line = next((line for line in lines if "error:" in line or "Unknown" in line), None)
    return (
        "" if line is None else ": " + re.sub(r"\S*/", "", line.partition("error:")[2].strip() or line)[:120]
    )


def _check(tool: Tool, program: str, arguments: Sequence[str], data: bytes | None, patience: float) -> None:
    """Check what the tool did. What goes wrong here is a line of the results: the tool has done its work."""
    from .store import Store

    store = Store(Path(os.environ.get(FOLDER) or "convcheck-findings"))
    try:
        try:
            printed = printed_modules(tool, program, arguments, data, patience)
        except Unprinted as problem:
            store.skip(tool.name, str(problem))
            return
        if printed is None:
            return
        from .checks import Check

        command = shlex.join([tool.name, *(_plain(word) for word in arguments)])
        budget = _budget(os.environ.get(BUDGET))
        Check(tool.name, command, budget, store, program=program).dump(printed)
    except OSError as error:
        print(f"convcheck-{tool.name}: {store.path}: {error.strerror or error}", file=sys.stderr)
    except Exception as error:  # a fault of ours must not cost a build
        said = " ".join(format_exception_only(error)[-1].split())[:200]
        store.skip(tool.name, f"internal error of convcheck: {said}")


def _budget(words: str | None) -> float:
    """Seconds for a function and pass."""
    try:
        return max(0.0, float(words)) if words else SECONDS
    except ValueError:
        return SECONDS
