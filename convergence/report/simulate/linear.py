"""``block-ip``'s linearised CFG, as *Unstructured Branches* draws it: numbers, JOIN points, jumps."""

from __future__ import annotations

from ...ir.module import Module
from ...sched.lockstep.policies.block_ip import linear
from ...sched.lockstep.policy import Facts
from ..parts.printable import printable


def linear_text(module: Module, order: str) -> str:
    """A line per block of each defined function."""
    parts = []
    for function in module.definitions():
        facts = Facts(function)
        lines = linear(facts, order)
        names = [f"%{printable(facts.name(line.block))}" for line in lines] + ["the return block"]
        rows = []
        for line in lines:
            head = "" if line.join is None else f"JOIN, else to {names[line.join]}"
            jumps = [f"back to {names[to]} if any lane wants" for to in line.back]
            if line.forward is not None:
                jumps.append(f"on to {names[line.forward]} if all lanes are beyond {names[line.number + 1]}")
            rows.append((f"{line.number:>4}", names[line.number], head, "; ".join(jumps)))
        widths = [max((len(row[at]) for row in rows), default=0) for at in range(4)]
        shown_rows = [
            "  ".join(cell.ljust(w) for cell, w in zip(r, widths, strict=True)).rstrip() for r in rows
        ]
        parts.append("\n".join([f"@{printable(function.name)}, linearised:", *shown_rows]))
    return "\n\n".join(parts) + "\n"
