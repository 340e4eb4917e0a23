"""Two programs side by side on each machine, such as one before and after a transform."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.module import Module
from ..sched.lockstep.log import code_size
from ..sched.lockstep.simulate import Simulated
from ..semantics.errors import Returned


def beside(
    names: tuple[str, str],
    modules: tuple[Module, Module],
    ones: Sequence[Simulated],
    others: Sequence[Simulated],
) -> str:
    """A line per machine: issue slots, the share of active lanes and the verdict, of one and of the other;
    then the code sizes."""
    rows: list[tuple[str, ...]] = [
        ("machine", "issues", "beside", "", "utilisation", "beside", "verdict", "beside")
    ]
    for one, other in zip(ones, others, strict=True):
        both = (one, other)
        ran = all(s.refused is None for s in both)
        issues = [str(s.issues) if s.refused is None else "-" for s in both]
        active = [f"{100 * s.utilisation:.0f} %" if s.refused is None else "-" for s in both]
        more = change(one.issues, other.issues) if ran else ""
        rows.append((one.policy, *issues, more, *active, *map(word, both)))
    sizes = [code_size(module) for module in modules]
    rows.append(("code size", *map(str, sizes), change(*sizes), "", "", "", ""))
    widths = [max(len(row[column]) for row in rows) for column in range(8)]
    right = (1, 2, 3, 4, 5)
    lines = [
        "  ".join(
            cell.rjust(widths[at]) if at in right else cell.ljust(widths[at]) for at, cell in enumerate(row)
        )
        for row in rows
    ]
    said = [f"{names[0]}, and beside it {names[1]}", "", *lines]
    return "\n".join(line.rstrip() for line in said) + "\n"


def word(one: Simulated) -> str:
    """The verdict in a word."""
    if one.refused is not None:
        return "refused"
    if one.departure is not None:
        return "departs"
    if one.ending is None:
        return "hangs"
    return "conforms" if isinstance(one.ending, Returned) else "not known"


def change(one: int, other: int) -> str:
    """By how much a number changes.

    >>> change(18, 26), change(20, 10), change(3, 3)
    ('+44 %', '-50 %', '+0 %')
    """
    return f"{100 * (other - one) / one:+.0f} %" if one else ""
