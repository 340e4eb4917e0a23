"""Counts of a sweep's answers: by verdict, by reason, and what somebody has to look at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

Record = dict[str, Any]

VERDICTS = ("equal", "refines", "wrong", "invalid-output", "unknown")
ALARMS = ("wrong", "invalid-output")


def report(records: Sequence[Record]) -> str:
    """The figures as text."""
    verified = [r for r in records if r["kind"] == "verify"]
    asked = [r for r in records if r["kind"] == "refine"]
    changed = [
        r for r in asked if r["outcome"] not in ("unchanged", "llvm-refuses-file", "llvm-refuses-pipeline")
    ]
    return "\n".join(
        (*_verified(verified), "", *_pairs(asked), "", *_functions(changed), *_to_look_at(changed))
    )


def _verified(records: Sequence[Record]) -> Iterator[str]:
    agree = sum(r["agree"] for r in records)
    yield f"verify: as LLVM on {agree} of {len(records)} files"
    for why, count in _counted(r["why"] for r in records):
        yield f"  {count:5}  {why}"
    for r in records:
        if not r["agree"]:
            said = r.get("llvm-says", "takes it")
            yield f"  {r['file']}: LLVM: {said}; convcheck: exit {r['code']} {r.get('error', '')}"


def _pairs(records: Sequence[Record]) -> Iterator[str]:
    yield f"refine: {len(records)} pairs of file and pipeline"
    for outcome, count in _counted(r["outcome"] for r in records):
        yield f"  {count:5}  {outcome}"


def _functions(changed: Sequence[Record]) -> Iterator[str]:
    """Pairs that the pipeline changed, by reason; then their functions."""
    open_ = [r for r in changed if r["outcome"] not in ("equal", "refines", *ALARMS)]
    share = _share(len(open_), len(changed))
    yield f"of {len(changed)} changed pairs {len(open_)} without an answer, {share}, by reason"
    for reason, count in _counted(f"{r['outcome']}: {_kind(r['reason'])}" for r in open_):
        yield f"  {count:5}  {reason}"
    functions = [f for r in changed for f in r.get("functions", ())]
    yield f"their {len(functions)} functions"
    for verdict, count in _counted(f["verdict"] for f in functions):
        yield f"  {count:5}  {verdict}"
    yield "functions without an answer, by reason"
    for reason, count in _counted(_kind(f["reason"]) for f in functions if f["verdict"] == "unknown"):
        yield f"  {count:5}  {reason}"


def _to_look_at(changed: Sequence[Record]) -> Iterator[str]:
    yield ""
    yield "to look at"
    for r in changed:
        if r["outcome"] in (*ALARMS, "stopped") or r["outcome"].startswith("exit"):
            names = ", ".join(f["function"] for f in r.get("functions", ()) if f["verdict"] == r["outcome"])
            words = f"{r['outcome']} {r['reason']}".strip()
            yield f"  {words}: {r['file']} {r['pipeline']} {' '.join(r['flags'])} {names}".rstrip()


def _kind(reason: str) -> str:
    """A reason without its names and numbers, so that like ones fall together."""
    reason = re.sub(
        r"[@%][\w.$-]+(?:\([^)]*\))?",
        lambda m: m[0] if m[0].startswith("@llvm.") else m[0][0] + "...",
        reason,
    )
    return re.sub(r"\d+(?:\.\d+)?", "N", reason)[:110]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


def _counted(words: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(words).items(), key=lambda entry: (-entry[1], entry[0]))
