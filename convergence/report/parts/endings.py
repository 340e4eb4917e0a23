"""Bounds, and what else cuts an answer short, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...frozen import Json
from ...ir.module import Module
from ...semantics.errors import (
    INTERRUPTED,
    Bound,
    BoundKind,
    Cut,
    Deadlock,
    Ending,
    Endless,
    GoesRound,
    Illegal,
    NoModel,
    OutOfBound,
    Returned,
    Sampled,
    SolverGaveUp,
    StackEntry,
    UndefinedBehaviour,
    Unmodelled,
    Waiting,
)
from ...semantics.machine.tally import Tally
from ...source import Span
from .groups import threads
from .printable import printable

_WORDS: Mapping[BoundKind, str] = {
    BoundKind.MAX_STEPS: "--max-steps {}",
    BoundKind.TIMEOUT: "--timeout {:g}",
    BoundKind.MAX_EXECUTIONS: "--max-executions {}",
    BoundKind.MAX_ALIGNMENTS: "--max-alignments {}",
    BoundKind.CALL_DEPTH: "call depth {}",
    BoundKind.ANSWERS: "{} branches on results in one trace",
    BoundKind.ITERATIONS: "{} iterations",
    BoundKind.PATHS: "{} paths of one thread",
    BoundKind.GROUPINGS: "{} ways to group anchors",
    BoundKind.INTERRUPTED: "interrupted",
}


def words(cut: Cut) -> str:
    """What cut an answer short; a bound by the option that sets it, if there is one."""
    match cut:
        case Bound(kind, limit):
            return _WORDS[kind].format(limit)
        case Sampled(seed, executions):
            return f"--seed {seed}: {executions} executions at random"
        case NoModel(what):
            return f"not modelled: {what}"
        case SolverGaveUp(reason):
            return f"the solver gave up: {reason}"


# -- How a run ended, in words: a line, the call stack with places, who waits for whom

FRAMES = 12  # frames of a call stack that are shown, and threads that could go on


def cited(section: str) -> str:
    """The document and its section: the LangRef's, where no other document is named."""
    return section if ", " in section else f"LangRef, {section}"


def reason(ending: Ending) -> str | None:
    """One line that says why the run ended so; ``None`` if every thread returned."""
    match ending:
        case Returned():
            return None
        case UndefinedBehaviour(why, section, thread):
            return f"undefined behaviour in thread {thread}: {why} ({cited(section)})"
        case Deadlock(()):
            return "deadlock: no execution can be completed"
        case Deadlock(waiting):
            return f"deadlock: {threads([w.thread for w in waiting])} can never go on"
        case Endless(spinning, waiting):
            waits = f", {threads([w.thread for w in waiting])} can never go on" if waiting else ""
            return f"endless: {goes_round(spinning)}{waits}"
        case OutOfBound(bound, thread):
            if bound == INTERRUPTED:
                return "stopped: interrupted"
            where = "" if thread is None else f", in thread {thread}"
            return f"stopped: the bound {words(bound)} was hit{where}"
        case Unmodelled(what, thread):
            return f"not modelled: {what}, reached by thread {thread}"
        case Illegal(rule, broken, thread):
            return f"no legal execution: {rule.id} is broken in thread {thread}: {broken}"


def details(ending: Ending, module: Module) -> list[str]:
    """Where that was: a line per frame, then a line per waiting thread, and per other one at a bound."""
    match ending:
        case Returned():
            return []
        case Deadlock(waiting):
            return _waiting(waiting, module)
        case Endless(spinning, waiting):
            return _spinning(spinning, module) + _waiting(waiting, module)
        case OutOfBound(_, _, stack, waiting, standing):
            return _stack(stack, module) + _waiting(waiting, module) + _standing(standing, module)
        case UndefinedBehaviour(_, _, _, stack) | Unmodelled(_, _, stack) | Illegal(_, _, _, stack):
            return _stack(stack, module)


def place(span: Span, module: Module) -> str:
    """Where that stands: file, line and column."""
    if span.start < 0:
        return ""
    position = module.source.position(span.start)
    return f"{printable(module.source.name)}:{position.line}:{position.column}"


def _stack(stack: Sequence[StackEntry], module: Module) -> list[str]:
    return _shortened([_at(entry, module) for entry in stack], "frames")


def _at(entry: StackEntry, module: Module) -> str:
    return f"at {place(entry.span, module)} in @{printable(entry.function)}"


def _shortened(lines: list[str], of: str) -> list[str]:
    """The first and the last lines; of how many others there are."""
    if len(lines) > FRAMES:
        half = FRAMES // 2
        lines[half:-half] = [f"... {len(lines) - 2 * half} more {of}"]
    return lines


def _standing(standing: Sequence[tuple[int, StackEntry]], module: Module) -> list[str]:
    return _shortened([f"thread {thread} {_at(entry, module)}" for thread, entry in standing], "threads")


def goes_round(spinning: Sequence[GoesRound]) -> str:
    """Who never stops."""
    return f"{threads([s.thread for s in spinning])} {'goes' if len(spinning) == 1 else 'go'} round for ever"


def _spinning(spinning: Sequence[GoesRound], module: Module) -> list[str]:
    return [
        f"thread {s.thread} comes back to %{printable(s.block)} ({place(s.span, module)})"
        f" in @{printable(s.function)}"
        for s in spinning
    ]


def _waiting(waiting: Sequence[Waiting], module: Module) -> list[str]:
    return [
        f"thread {w.thread} waits at {w.name} ({place(w.span, module)})"
        + (f" for {threads(w.for_threads)}" if w.for_threads else "")
        for w in waiting
    ]


# ----------------------------------------------------------------------------------------------------------
# What ran threads: the reference, or native code, and how much of it, in words and as data.
# ----------------------------------------------------------------------------------------------------------

HANDED = 8  # instructions that native code handed back, the most frequent ones


def engine_lines(tally: Tally | None) -> list[str]:
    """What ran the threads."""
    if tally is None:
        return ["Engine: reference"]
    compiled = f"{tally.functions} function{'s' * (tally.functions != 1)} compiled in {tally.compiling:.3f} s"
    parts = [f"Engine: native, {tally.instructions} instructions in {tally.calls} calls; {compiled}"]
    if tally.unattended:
        several = tally.unattended != 1
        order = "one after the other" if tally.cores == 1 else f"on {tally.cores} cores, which was looked at"
        how = f", {order}: no two met in memory but by additions" if several else ""
        parts.append(f"  {tally.unattended} workgroup{'s' * several} from launch to end{how}")
    elif tally.attended:
        parts.append(f"  no workgroup from launch to end: {printable(tally.attended)}")
    for (function, opcode, why), times in tally.handed_back[:HANDED]:
        parts.append(f"  handed back {times} times: {opcode} in @{printable(function)} ({printable(why)})")
    parts += [
        f"  @{printable(name)} has no native code: {printable(why)}" for name, why in tally.refused.items()
    ]
    return parts


def engine_data(tally: Tally | None) -> dict[str, Json]:
    """``engine``: what ran the threads; of native code, how much of the run, and what was handed back."""
    if tally is None:
        return {"used": "reference"}
    return {
        "used": "native",
        "instructions": tally.instructions,
        "calls": tally.calls,
        "compile_seconds": round(tally.compiling, 6),
        "handed_back": [
            {"function": "@" + function, "instruction": opcode, "why": why, "times": times}
            for (function, opcode, why), times in tally.handed_back
        ],
        "unattended": tally.unattended,
        "cores": tally.cores,
        "attended": tally.attended or None,
        "refused": {"@" + function: why for function, why in tally.refused.items()},
    }
