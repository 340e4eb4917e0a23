"""Machines for people: a table of who conforms, and masks over time (rows lanes, columns slots)."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.module import Module
from ..sched.lockstep.simulate import Simulated
from ..semantics.errors import Returned
from .endings import details, reason
from .printable import printable
from .run_text import COLUMNS, cut, operations, seen
from .simulate_names import block, operation, targets


def text(
    found: Sequence[Simulated],
    module: Module,
    pictures: Sequence[tuple[str, ...]],
    notes: Sequence[str],
    quiet: bool = False,
    verbose: bool = False,
) -> str:
    """The table, then, for one machine alone, its picture, masks, groups and results; ``verbose`` adds
    every slot."""
    parts = ["\n".join(table(found))]
    if len(found) == 1 and not quiet and found[0].run is not None:
        (only,), (picture,) = found, pictures
        assert only.run is not None and only.outcome is not None
        parts.append("\n".join(f"Thread {number}: {cut(row)}" for number, row in enumerate(picture)))
        parts.append("\n".join(masks(only)))
        parts.append(operations(only.groups, verbose))
        parts.append(seen(only.outcome, only.run.changed_memory))
        if only.operations:
            counted = ", ".join(f"{n} {name}" for name, n in sorted(only.operations.items()))
            parts.append(f"Machine operations: {counted}")
        if verbose:
            parts.append("\n".join(slots(only)))
    for one in found:
        why = None if one.ending is None else reason(one.ending)
        if why is not None and one.ending is not None:
            parts.append(
                "\n".join([f"{one.policy}: {why}", *(f"  {d}" for d in details(one.ending, module))])
            )
    parts.append("\n".join(line for one in found for line in claims(one, module)))
    parts.append("\n".join(line for one in found for line in unlike_maximal(one)))
    if not quiet:
        parts.append("\n".join(f"note: {printable(note)}" for note in notes))
    return "\n\n".join(part for part in parts if part) + "\n"


def table(found: Sequence[Simulated]) -> list[str]:
    """A line per machine: its name, its verdict, issue slots, the share of lanes that were active."""
    rows = [("machine", "issues", "utilisation", "verdict")]
    for one in found:
        ran = one.refused is None
        rows.append(
            (
                one.policy,
                str(one.issues) if ran else "-",
                f"{100 * one.utilisation:.0f} %" if ran else "-",
                verdict(one),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip() for a, b, c, d in rows]


def verdict(one: Simulated) -> str:
    """Conforms, or where it leaves; hangs, with those that wait; refused, with the reason."""
    if one.refused is not None:
        return f"refused: {one.refused}"
    if one.departure is not None:
        said = f"departs: {one.departure.words}"
    elif one.ending is None:
        said = "hangs"
    elif isinstance(one.ending, Returned):
        said = "conforms"
    else:
        said = "not known: the run did not end"
    if one.ending is None:
        said += f" ({waiting(one)})"
    if one.alignment_name is not None:
        said += f" ({one.alignment_name})"
    return said


def unlike_maximal(one: Simulated) -> list[str]:
    """Where a program without tokens leaves what mode maximal says, which is no rule for the machine."""
    left = None if one.departure is not None else one.from_maximal
    return [] if left is None else [f"{one.policy}: not the maximal alignment: {left.words}"]


def claims(one: Simulated, module: Module) -> list[str]:
    """What became of the branches that are claimed not to diverge."""
    lines = []
    for claim in one.claims:
        said = "proved" if claim.proved else "not proved; lanes that took it together went one way"
        if claim.broken is not None:
            step, where = claim.broken.step, targets(module, claim.broken)
            taken = ", ".join(
                f"lane {lane} with {claim.broken.values[int(lane)]} to %{printable(name)}"
                for lane, name in where.items()
            )
            said = f"broken in wave {step.wave}, slot {step.slot}: {taken}"
        place = f"%{printable(claim.block)} in @{printable(claim.function)}"
        lines.append(f"{one.policy}: the branch of {place} is claimed not to diverge: {said}")
    return lines


def waiting(one: Simulated) -> str:
    """Who waits where for ever, and who goes round in vain."""
    return "; ".join(
        f"thread {w.thread} {'goes round' if w.spins else 'waits'} at %{printable(w.block)}"
        for w in one.waits
    )


def masks(one: Simulated) -> list[str]:
    """Per wave the block at each slot where it changes, and a line per lane: ``#`` where it is active."""
    lines: list[str] = []
    machine = one.machine
    assert machine is not None
    for wave, size in one.lanes.items():
        steps = [s for s in one.steps if s.wave == wave]
        if len(one.lanes) > 1:
            lines.append(f"Wave {wave}:")
        left, steps = max(0, len(steps) - COLUMNS), steps[:COLUMNS]
        more = f" ... ({left} more slots)" if left else ""
        heads, last, free = [" "] * len(steps), None, 0
        for at, step in enumerate(steps):
            here = (step.function, step.block, step.mask)
            name = printable(block(machine.program, step))
            if here != last and at >= free:
                heads[at : at + len(name)] = list(name)[: len(steps) - at]
                free = at + len(name) + 1
            last = here
        lines.append(f"{'':8} {''.join(heads)}".rstrip())
        for lane in range(size):
            row = "".join("#" if s.mask >> lane & 1 else "." for s in steps)
            lines.append(f"Lane {lane:<3} {row}{more}")
    return lines


def slots(one: Simulated) -> list[str]:
    """Every slot on a line: number, wave, block, operation, mask in binary (lane 0 last)."""
    machine = one.machine
    assert machine is not None
    return [
        f"{s.slot:>5}  wave {s.wave}  %{printable(block(machine.program, s))}: "
        f"{printable(operation(machine.program, s))}  {s.mask:0{one.lanes[s.wave]}b}"
        for s in one.steps
    ]
