"""How a pipeline fails."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Literal

from ..interruption import check_exit

Kind = Literal["crash", "timeout", "refused", "unavailable"]
"""``crash``: LLVM ended itself. ``timeout``: it gave no answer in time. ``refused``: it does not take the
pipeline, a flag or the module. ``unavailable``: nothing here offers the pipeline."""

_ASSERTION = re.compile(r"Assertion `(.*?)' failed|(UNREACHABLE executed)|LLVM ERROR: (.*)", re.DOTALL)
_RUNNING = re.compile(r'Running pass "([^"]*)" on (\w+ "[^"]*")')
LISTING = 10.0  # seconds that opt has to list its passes
LONGEST = 300  # characters of LLVM's own words in a reason


class PassFailed(Exception):
    """LLVM gave no module. ``reason`` is one line, ``kind`` says how, ``detail`` is what LLVM printed."""

    def __init__(self, reason: str, kind: Kind = "crash", detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind
        self.detail = detail


def crashed(pipeline: str, code: int, printed: str) -> PassFailed:
    """LLVM's end on a pipeline, by its exit code and what it printed on standard error."""
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    running = _RUNNING.findall(printed)
    where = f", in pass {running[-1][0]} on {running[-1][1]}" if running else ""
    words = last_words(printed)
    detail = f": {words}" if words else ""
    return PassFailed(f"LLVM breaks down in {pipeline} ({how}{where}){detail}", "crash", printed)


def last_words(printed: str) -> str:
    """The assertion or error among what LLVM printed, on one line; else the last line that is no stack."""
    if match := _ASSERTION.search(printed):
        return one_line(match[0].partition("\n")[0])
    noise = ("#", "; ")
    lines = [line for line in printed.splitlines() if line.strip() and not line.lstrip().startswith(noise)]
    return one_line(lines[-1]) if lines else ""


def one_line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


# -- An external ``opt``: for everything that llvmlite does not offer

OLDEST = 18
"""The first LLVM that has the convergence control intrinsics; to older ones a token is any value."""

_FLAGS = ("-S", "-disable-verify", "-o", "-", "-")
"""Text to text by the standard streams. What breaks LLVM's own rules is handed on: others judge it."""


def find(opt: str | None) -> str | None:
    """The ``opt`` to run: :func:`find_tool`."""
    return find_tool("opt", opt)


def find_tool(tool: str, option: str | None) -> str | None:
    """The program of a tool of LLVM's: the one that is given, else the first on PATH, by its name or with 22
    behind it, that knows convergence tokens; ``None`` if there is none.

    :raises PassFailed: if one is given and is no program
    """
    if option is None:
        there = (path for name in (tool, f"{tool}-22") if (path := shutil.which(name)))
        return next((path for path in there if (_major(path) or 0) >= OLDEST), None)
    if (path := shutil.which(option)) is None:
        raise PassFailed(f"{option}: no program", "unavailable")
    return path


def run(program: str, text: str, pipeline: str, flags: Sequence[str], timeout: float) -> tuple[str, str]:
    """The module after a pipeline, and what was printed on standard error.

    :raises PassFailed: if ``opt`` ends itself, takes too long, or refuses the pipeline, a flag or the text
    """
    command = [program, f"-passes={pipeline}", *flags, *_FLAGS]
    done = _performed(command, text, timeout, _name(program), f" on {pipeline}")
    printed = done.stderr.decode("utf-8", "surrogateescape")
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "surrogateescape"), printed
    if _refuses(done.returncode, printed):
        refusal = _refusal(printed) + _nearest(program, pipeline)
        raise PassFailed(f"{version(program)} refuses {pipeline}: {refusal}", "refused", printed)
    raise crashed(pipeline, done.returncode, printed)


def llc_output(program: str, text: str, flags: Sequence[str], timeout: float) -> bytes:
    """What ``llc`` writes to its standard output of a module.

    :raises PassFailed: if it ends itself, takes too long, or refuses the module or a flag
    """
    done = _performed([program, *flags], text, timeout, "llc")
    if done.returncode == 0:
        return done.stdout
    printed = done.stderr.decode("utf-8", "surrogateescape")
    if _refuses(done.returncode, printed):
        raise PassFailed(f"llc refuses the module: {last_words(printed)}", "refused", printed)
    raise crashed("llc", done.returncode, printed)


def _performed(
    command: Sequence[str], text: str, timeout: float, name: str, work: str = ""
) -> subprocess.CompletedProcess[bytes]:
    """A program that is given a module on its standard input. ``name`` and ``work`` are for words only."""
    data = text.encode("utf-8", "surrogateescape")
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise PassFailed(f"{name} did not end in {timeout:g} s{work}", "timeout") from None
    except (OSError, ValueError) as error:
        raise PassFailed(f"{name} cannot be started: {one_line(str(error))}", "unavailable") from None
    check_exit(done.returncode)
    return done


def _refuses(code: int, printed: str) -> bool:
    """Whether a tool of LLVM's ended because it does not take what it was given, and not because it broke."""
    return code == 1 and "LLVM ERROR" not in printed and "Stack dump" not in printed


def _refusal(printed: str) -> str:
    """Its first complaint, without the program's own path before it."""
    for line in printed.splitlines():
        if line.strip() and "warning:" not in line.lower():
            return one_line(re.sub(r"^\S*opt\S*: ", "", line).removeprefix("error: "))
    return last_words(printed) or "it says nothing"


_MANAGERS = frozenset({"module", "cgscc", "devirt", "function", "loop", "loop-mssa",
    "machine-function", "repeat", "default", "thinlto-pre-link", "thinlto", "lto-pre-link", "lto",
})  # fmt: skip
"""What a pipeline may say besides the passes that ``-print-passes`` lists."""
_PASS = re.compile(r"[A-Za-z][\w.-]*(?![^<>]*>)")
"""A name in a pipeline, which stands in no angle brackets: options of a pass are none."""


def _nearest(program: str, pipeline: str) -> str:
    """The pass nearest to the first word of a pipeline that is none, as the end of a message."""
    try:
        listed = _performed([program, "-print-passes"], "", LISTING, _name(program)).stdout.decode()
    except PassFailed:
        return ""
    known = {line.strip().partition("<")[0] for line in listed.splitlines() if line.startswith(" ")}
    strange = (word for word in _PASS.findall(pipeline) if word not in known | _MANAGERS)
    near = (get_close_matches(word, known, n=1) for word in strange)
    return next((f"; did you mean {match[0]}?" for match in near if match), "")


def _name(program: str) -> str:
    return Path(program).name


def version(program: str) -> str:
    """``opt (LLVM 22.1.8)``, as the program says; its name alone if it does not."""
    text = _version_text(program)
    return f"{_name(program)} (LLVM {text})" if text else _name(program)


def _major(program: str) -> int | None:
    number = _version_text(program).partition(".")[0]
    return int(number) if number.isdigit() else None


@cache
def _version_text(program: str) -> str:
    """The version that a program tells; nothing if it does not."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, timeout=20, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""
    match = re.search(rb"(?:LLVM|clang) version (\S+)", done.stdout)
    return match[1].decode("ascii", "replace") if match else ""
