"""llvmlite's passes: the processes in which they run, one per set of LLVM's flags, kept for later."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from ..frozen import dataclass
from ..workers.process import ProcessEnded, Worker, environment
from .names import PassPlan
from .outside import PassFailed, crashed, last_words, one_line

WORKER = Path(__file__).with_name("worker.py")
PATIENCE = 60.0  # seconds for the process to start
READY = b"+"
"""What the process writes first."""
REQUESTS = 5_000
"""Requests that one process serves: some 30 kB of LLVM's memory stay behind with each."""


class UnknownFlag(Exception):
    """llvmlite's LLVM does not know a flag; the message says which."""


@dataclass(frozen=True, slots=True)
class PassOutput:
    """What LLVM made of a module: its text, what is to be known about how, and what the passes printed."""

    text: str
    notes: tuple[str, ...]
    printed: str


def run(text: str, pipeline: str, plan: PassPlan, flags: Sequence[str], timeout: float) -> PassOutput:
    """The module after a plan's steps.

    :raises PassFailed: if LLVM ends itself, gives no answer in time, or cannot read the text
    :raises UnknownFlag: if it does not know one of the flags
    """
    triple, rest = _triple(flags)
    steps = [step.level if step.level is not None else step.method for step in plan.steps]
    request = {"text": text, "triple": triple, "steps": steps}
    return _worker(rest).output(request, pipeline, timeout)


def _triple(flags: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """``-mtriple``, which is a flag of ``opt``'s own, and the other flags.

    :raises UnknownFlag: for a flag that LLVM does not know here (it would pass over it), or that only
        ``opt`` heeds
    """
    triple, rest = None, []
    words = iter(flags)
    for word in words:
        name, equals, value = word.partition("=")
        if name.lstrip("-") == "mtriple" and word.startswith("-"):
            triple = value if equals else next(words, "")
        else:
            if (
                not word.startswith("-")
                or name.lstrip("-") in _OF_A_TOOL
                or name.lstrip("-") not in _flag_names()
            ):
                raise UnknownFlag(f"llvmlite does not take the flag {word}")
            rest.append(word)
    return triple, tuple(rest)


@dataclasses.dataclass(slots=True)
class _PassWorker(Worker):
    """The process of one set of flags, and how many requests it served."""

    flags: tuple[str, ...] = ()
    served: int = 0
    lock: Lock = field(default_factory=Lock)

    def output(self, request: dict[str, Any], pipeline: str, timeout: float) -> PassOutput:
        with self.lock:
            self._begin()
            try:
                reply = self.answer_to(json.dumps(request).encode("ascii"), timeout)
            except TimeoutError:
                why = f"LLVM did not end in {timeout:g} s on {pipeline}"
                raise PassFailed(why, "timeout") from None
            except ProcessEnded as end:
                raise crashed(pipeline, end.code, end.words) from None
            words = self.words()
            self.served += 1
            if self.served >= REQUESTS:
                self.stop()
        if "error" in reply:
            why = reply["error"].removeprefix("LLVM IR parsing error").strip()
            raise PassFailed(f"LLVM does not read the module: {one_line(why)}", "refused", words)
        return PassOutput(reply["text"], tuple(reply["notes"]), words)

    def _begin(self) -> None:
        """Start the process unless it runs, and see that LLVM takes the flags."""
        if self.running() is not None:
            return
        self.served = 0
        try:
            self.start(WORKER, self.flags, keep=True)
        except OSError as error:
            raise PassFailed(f"no process can be started: {error}", "unavailable") from None
        try:
            first = self.first(PATIENCE)
        except TimeoutError:
            raise PassFailed("LLVM's process does not start", "timeout") from None
        except ProcessEnded as end:
            raise UnknownFlag(last_words(end.words) or "LLVM's process does not start") from None
        if words := self.words():
            self.stop()
            raise UnknownFlag(one_line(words.removeprefix("convcheck: ")))
        if first != READY:  # a flag for which LLVM prints something, and ends
            self.stop()
            raise UnknownFlag(f"llvmlite runs no passes with {' '.join(self.flags)}")


_OF_A_TOOL = frozenset(("mcpu", "mattr", "march", "passes", "S", "o", "f", "version"))


@cache
def _flag_names() -> frozenset[str]:
    """The names of all flags of llvmlite's LLVM, by its own list, without dashes."""
    code = "from llvmlite import binding; binding.set_option('convcheck', '--help-list-hidden')"
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment(), timeout=PATIENCE
    )
    return frozenset(re.findall(r"^ +--?([-\w.]+)", done.stdout, re.MULTILINE))


@cache
def _worker(flags: tuple[str, ...]) -> _PassWorker:
    return _PassWorker(flags=flags)
