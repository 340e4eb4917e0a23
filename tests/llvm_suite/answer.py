"""A question's answer: the commands are run as a user runs them, and what they say becomes one record."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .questions import Question

Record = dict[str, Any]

MEMORY = 6 << 30
"""Bytes of address space that a command may have."""
PATIENCE = 10
"""How many times its time-out a command may take before it is stopped."""
LLVM_TIME = 60
"""Seconds for ``opt``."""


def answer(question: Question, tests: Path, opt: str, timeout: float) -> Record:
    """The record: the question's own fields, and what was said."""
    began = time.monotonic()
    record: Record = {
        "id": question.id, "file": question.file, "why": question.why, "pipeline": question.pipeline,
        "flags": list(question.flags), "own": question.own,
    }  # fmt: skip
    path = str(tests / question.file)
    record |= _pair(question, path, opt, timeout) if question.pipeline else _verified(path, opt, timeout)
    record["seconds"] = round(time.monotonic() - began, 1)
    return record


def _verified(path: str, opt: str, timeout: float) -> Record:
    """Whether LLVM and convcheck take a file, and the words of who does not."""
    theirs = _ran([opt, "-passes=verify", "-disable-output", path], LLVM_TIME)
    ours = _convcheck(["verify", "--format", "json", path], PATIENCE * timeout)
    record: Record = {"kind": "verify", "llvm": theirs.code, "code": ours.code}
    if theirs.code != 0:
        record["llvm-says"] = _first(theirs.err)
    if ours.code != 0:
        record["rules"] = sorted({d["rule"] for d in _diagnostics(ours.out) if d["severity"] == "error"})
        record["error"] = _first(ours.err) or _errors(ours.out)
    record["agree"] = (theirs.code == 0) == (ours.code == 0) and ours.code in (0, 1, 2)
    if ours.late:
        record |= {"late": True, "agree": False}
    return record


def _pair(question: Question, path: str, opt: str, timeout: float) -> Record:
    """What ``refine`` says, where the pipeline changes anything."""
    record: Record = {"kind": "refine"}
    before = _ran([opt, "-S", "-passes=no-op-module", *question.flags, path, "-o", "-"], LLVM_TIME)
    after = _ran([opt, "-S", f"-passes={question.pipeline}", *question.flags, path, "-o", "-"], LLVM_TIME)
    if before.code != 0:
        return record | {"outcome": "llvm-refuses-file", "reason": _first(before.err)}
    if after.late or after.code != 0:
        why = "no end" if after.late else _first(after.err)
        return record | {"outcome": "llvm-refuses-pipeline", "reason": why}
    if _plain(before.out) == _plain(after.out):
        return record | {"outcome": "unchanged"}
    words = ["refine", path, "--passes", question.pipeline, "--opt", opt, "--timeout", str(timeout)]
    words += ["--format", "json", *(f"--opt-args={flag}" for flag in question.flags)]
    ours = _convcheck(words, PATIENCE * timeout)
    if ours.late:
        return record | {"outcome": "stopped", "reason": f"no answer in {PATIENCE} times the time-out"}
    record["code"] = ours.code
    try:
        said = json.loads(ours.out)
    except ValueError:
        return record | {"outcome": f"exit {ours.code}", "reason": _first(ours.err)}
    record |= {"outcome": said["verdict"], "reason": _reason(said)}
    record["functions"] = [
        {
            "function": one["function"], "verdict": one["verdict"], "reason": _reason(one),
            "established": one["established"], "notes": one["notes"],
        }
        for one in said["functions"] or [said]
    ]  # fmt: skip
    return record


def _reason(said: Record) -> str:
    if said["verdict"] == "invalid-output":
        rules = sorted({d["rule"] for d in said["diagnostics"]})
        return " ".join(rules) if rules else " ".join(said["notes"])
    return said["bound"] or ""


class Ran:
    """What a command came to: ``late`` if it was stopped."""

    def __init__(self, code: int, out: str, err: str, late: bool = False) -> None:
        self.code, self.out, self.err, self.late = code, out, err, late


def _ran(command: Sequence[str], limit: float) -> Ran:
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit, check=False, preexec_fn=_bounded)
    except subprocess.TimeoutExpired:
        return Ran(-1, "", "", late=True)
    return Ran(
        done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    )


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _convcheck(words: Sequence[str], limit: float) -> Ran:
    return _ran([sys.executable, "-m", "convergence", *words], limit)


def _diagnostics(out: str) -> list[Record]:
    try:
        return [d for file in json.loads(out)["files"] for d in file["diagnostics"]]
    except (ValueError, KeyError):
        return []


def _errors(out: str) -> str:
    try:
        return next((file["error"] for file in json.loads(out)["files"] if file.get("error")), "")
    except (ValueError, KeyError):
        return ""


def _first(complaint: str) -> str:
    """The first line that says something, without paths."""
    lines = (line.strip() for line in complaint.splitlines())
    line = next((line for line in lines if line and "warning:" not in line), "")
    return re.sub(r"/\S*/", "", line)[:300]


def _plain(module: str) -> str:
    """A module's text without its name."""
    return re.sub(r"(?m)^(; ModuleID|source_filename).*\n", "", module)
