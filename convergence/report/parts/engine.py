"""What ran threads: the reference, or native code, and how much of it, in words and as data."""

from __future__ import annotations

from ...semantics.machine.tally import Tally
from ..verify.json import Json
from .printable import printable

HANDED = 8  # instructions that native code handed back, the most frequent ones


def lines(tally: Tally | None) -> list[str]:
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


def data(tally: Tally | None) -> dict[str, Json]:
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
