"""How a pipeline fails."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["crash", "timeout", "refused", "unavailable"]
"""``crash``: LLVM ended itself. ``timeout``: it gave no answer in time. ``refused``: it does not take the
pipeline, a flag or the module. ``unavailable``: nothing here offers the pipeline."""

_ASSERTION = re.compile(r"Assertion `(.*?)' failed|(UNREACHABLE executed)|LLVM ERROR: (.*)", re.DOTALL)
_RUNNING = re.compile(r'Running pass "([^"]*)" on (\w+ "[^"]*")')
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
    said = f": {words}" if words else ""
    return PassFailed(f"LLVM breaks down in {pipeline} ({how}{where}){said}", "crash", printed)


def last_words(printed: str) -> str:
    """The assertion or error among what LLVM printed, on one line; else the last line that is no stack."""
    if found := _ASSERTION.search(printed):
        return one_line(found[0].partition("\n")[0])
    noise = ("#", "; ")
    lines = [line for line in printed.splitlines() if line.strip() and not line.lstrip().startswith(noise)]
    return one_line(lines[-1]) if lines else ""


def one_line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
