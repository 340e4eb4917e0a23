"""Machines for people: a table of who conforms, and masks over time (rows lanes, columns slots)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...alignment.instances import StaticInstance
from ...frozen import Json
from ...ir.instructions import CallSite, opcode
from ...ir.module import Module
from ...sched.lockstep.conform import (
    Cyclic,
    Departure,
    DifferentKeys,
    Misled,
    SameKey,
    SpoiltRegister,
    Stranded,
    Ungroupable,
    Unmasked,
    Woken,
)
from ...sched.lockstep.lanes import Parted
from ...sched.lockstep.policy import lanes
from ...sched.lockstep.simulate import Aspect, Simulated, Unequal
from ...sched.lockstep.waves import code_size
from ...semantics.convergence.keys import Key, Pass
from ...semantics.errors import Returned
from ...semantics.machine.buffers import BufferContents
from ...semantics.machine.log import Event, Issued
from ...semantics.machine.program import Program
from ...source import NOWHERE, Span
from ..parts import endings
from ..parts.endings import details, reason
from ..parts.github import ended_command, workflow_command
from ..parts.groups import difference_words, ordinal
from ..parts.printable import printable
from ..run.json import event
from ..run.text import COLUMNS, contents, cut, group_lines, outcome_text


def text(
    machines: Sequence[Simulated],
    module: Module,
    pictures: Sequence[tuple[str, ...]],
    notes: Sequence[str],
    quiet: bool = False,
    verbose: bool = False,
    buffers: Sequence[Sequence[BufferContents]] = (),
) -> str:
    """The table, then, for one machine alone, its picture, masks, groups and results; ``verbose`` adds
    every slot. ``buffers`` is what is to be shown of each machine's memory."""
    parts = ["\n".join(table(machines))]
    if len(machines) == 1 and not quiet and machines[0].run is not None:
        (only,), (picture,) = machines, pictures
        assert only.run is not None and only.outcome is not None
        parts.append("\n".join(f"Thread {number}: {cut(row)}" for number, row in enumerate(picture)))
        parts.append("\n".join(masks(only)))
        parts.append(group_lines(only.groups, verbose))
        apart = frozenset(held.name for shown in buffers for held in shown)
        parts.append(outcome_text(only.outcome, only.run.changed_memory, apart))
        if only.operations:
            counted = ", ".join(f"{n} {name}" for name, n in sorted(only.operations.items()))
            parts.append(f"Machine operations: {counted}")
        if verbose:
            parts.append("\n".join(slots(only)))
            parts.append("\n".join(endings.engine_lines(only.engine)))
    titles = [f"{machine.policy}: " if len(machines) > 1 else "" for machine in machines]
    of_machines = zip(titles, buffers or [()] * len(machines), strict=True)
    parts.append("\n".join(title + contents(held) for title, shown in of_machines for held in shown))
    for machine in machines:
        why = None if machine.ending is None else reason(machine.ending)
        if why is not None and machine.ending is not None:
            parts.append(
                "\n".join([f"{machine.policy}: {why}", *(f"  {d}" for d in details(machine.ending, module))])
            )
    parts.append("\n".join(line for machine in machines for line in claims(machine, module)))
    parts.append("\n".join(line for machine in machines for line in unlike_maximal(machine)))
    parts.append("\n".join(line for machine in machines for line in disagreements(machine)))
    if not quiet:
        parts.append("\n".join(f"note: {printable(note)}" for note in notes))
    return "\n\n".join(part for part in parts if part) + "\n"


def table(machines: Sequence[Simulated]) -> list[str]:
    """A line per machine: its name, its verdict, issue slots, the share of lanes that were active."""
    rows = [("machine", "issues", "utilisation", "verdict")]
    for machine in machines:
        ran = machine.refused is None
        rows.append(
            (
                machine.policy,
                str(machine.issues) if ran else "-",
                f"{100 * machine.utilisation:.0f} %" if ran else "-",
                verdict(machine),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip() for a, b, c, d in rows]


def verdict(machine: Simulated) -> str:
    """Conforms, or where it leaves; hangs, with those that wait; refused, with the reason."""
    if machine.refused is not None:
        return f"refused: {machine.refused}"
    if machine.departure is not None:
        words = f"departs: {departure(machine.departure)}"
    elif machine.ending is None:
        words = "hangs"
    elif isinstance(machine.ending, Returned):
        words = "conforms"
    else:
        words = "not known: the run did not end"
    if machine.agreement.differences:
        words = "wrong results: a bug of convcheck"
    if machine.waits:
        words += f" ({waiting(machine)})"
    if machine.alignment_name is not None:
        words += f" ({machine.alignment_name})"
    return words


def departure(left: Departure) -> str:
    """Where a machine leaves every legal alignment, and why."""
    ran = "{" + ",".join(map(str, left.group)) + "}"
    legal = " or ".join("{" + ",".join(map(str, group)) + "}" for group in left.legal)
    allows = f"{left.rule.id} allows only {legal}" if left.legal else f"{left.rule.id} forbids it"
    words = f"{left.operation}, lane {left.lane}, {_spelled(left.nth)} time: ran {ran}; {allows}"
    return f"{words}, because {because(left)}"


def because(left: Departure) -> str:
    """What makes the groups that a machine ran illegal."""
    match left.because:
        case SameKey() as same:
            return _same(same)
        case DifferentKeys((reason, other), difference, names):
            return difference_words(difference, names.__getitem__, (f"lane {reason}", f"lane {other}"))
        case Ungroupable():
            return "its token comes from an anchor that cannot group so"
        case Cyclic():
            return "convergence-before has a cycle"
        case Woken(thread):
            return f"thread {thread} had ended: a saved mask woke its lane"
        case SpoiltRegister(register=register, had=had, value=got):
            return f"%{register} was spilled while the lane was off: {got}, it was {had}"
        case Unmasked(block, wave):
            return f"no mask goes with the branch: the lane goes to %{block}, the wave to %{wave}"
        case Misled(block, None):
            return f"its mask turns the lane on in %{block}, and its thread had ended"
        case Misled(block, at):
            return f"its mask turns the lane on in %{block}, and its thread stands before %{at}"
        case Stranded(at):
            return f"the wave returns, and no mask turned the lane on before %{at}"


def _same(key: SameKey) -> str:
    """What it is that says that two lanes have one key."""
    match key.part:
        case None if key.token:
            return f"the token of lane {key.lane} is the same"
        case None:
            return "no header of a cycle around it was passed"
        case Key(own=Pass(block, n)) as part:
            return f"its most recent header %{block} n={n} is equal ({part.rule.id})"
        case Key(own=int(n)) as part:
            return f"{key.operation} n={n} is equal ({part.rule.id})"
        case part:
            return f"{key.operation} is equal ({part.rule.id})"


_FIRST = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def _spelled(n: int) -> str:
    """``first``, ``second``, ``11th``."""
    return _FIRST[n - 1] if n <= len(_FIRST) else ordinal(n)


def unlike_maximal(machine: Simulated) -> list[str]:
    """Where a program without tokens leaves what mode maximal says, which is no rule for the machine."""
    left = None if machine.departure is not None else machine.from_maximal
    return [] if left is None else [f"{machine.policy}: not the maximal alignment: {departure(left)}"]


def disagreements(machine: Simulated) -> list[str]:
    """Where the machine computes something else than the interpreter with the same groups."""
    lines = [f"{machine.policy}: {_difference(d)}" for d in machine.agreement.differences]
    if lines:
        lines.append(
            f"{machine.policy}: a bug of convcheck: the groups are the interpreter's, nothing else is free; "
            f"to show it, this file and launch with `simulate --policy {machine.policy}` and with `run`"
        )
    return lines


def _difference(unequal: Unequal) -> str:
    sides = f"{_short(unequal.machine)}, the interpreter says {_short(unequal.interpreter)}"
    match unequal.aspect:
        case Aspect.ENDING:
            return f"ends with {sides} (thread {unequal.thread})"
        case Aspect.THREAD:
            return f"thread {unequal.thread} ends as {sides}"
        case Aspect.RETURN:
            return f"thread {unequal.thread} returns {sides}"
        case Aspect.EVENTS:
            return f"the events of thread {unequal.thread} are {sides}"
        case Aspect.MEMORY:
            whose = "" if unequal.thread is None else f" of thread {unequal.thread}"
            return f"{printable(unequal.name or '')}{whose} holds {sides}"


def _short(value: Json | tuple[Event, ...]) -> str:
    if isinstance(value, tuple):
        return printable(json.dumps([event(e) for e in value]))
    return printable(value if isinstance(value, str) else json.dumps(value))


def claims(machine: Simulated, module: Module) -> list[str]:
    """What became of the branches that are claimed not to diverge."""
    lines = []
    for claim in machine.claims:
        standing = "proved" if claim.proved else "not proved; lanes that took it together went one way"
        if claim.broken is not None:
            step, where = claim.broken.step, targets(module, claim.broken)
            taken = ", ".join(
                f"lane {lane} with {claim.broken.values[int(lane)]} to %{printable(name)}"
                for lane, name in where.items()
            )
            standing = f"broken in wave {step.wave}, slot {step.slot}: {taken}"
        place = f"%{printable(claim.block)} in @{printable(claim.function)}"
        lines.append(f"{machine.policy}: the branch of {place} is claimed not to diverge: {standing}")
    return lines


def waiting(machine: Simulated) -> str:
    """Who waits where for ever, and who goes round in vain."""
    return "; ".join(
        f"thread {w.thread} {'goes round' if w.spins else 'waits'} at %{printable(w.block)}"
        for w in machine.waits
    )


def masks(simulated: Simulated) -> list[str]:
    """Per wave the block at each slot where it changes, and a line per lane: ``#`` where it is active."""
    lines: list[str] = []
    machine = simulated.machine
    assert machine is not None
    for wave, size in simulated.lanes.items():
        steps = [s for s in simulated.steps if s.wave == wave]
        if len(simulated.lanes) > 1:
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


def slots(simulated: Simulated) -> list[str]:
    """Every slot on a line: number, wave, block, operation, mask in binary (lane 0 last)."""
    machine = simulated.machine
    assert machine is not None
    return [
        f"{s.slot:>5}  wave {s.wave}  %{printable(block(machine.program, s))}: "
        f"{printable(operation(machine.program, s))}  {s.mask:0{simulated.lanes[s.wave]}b}"
        for s in simulated.steps
    ]


# -- What answers about lock-step machines call a slot's operation


def operation(program: Program, step: Issued) -> str:
    """``%name`` for an instruction with a name, ``@callee#k`` for a call without, else its opcode."""
    instruction = program.module.functions[step.function].instructions[step.at]
    if instruction.result is not None and not instruction.result.isdecimal():
        return f"%{instruction.result}"
    if isinstance(instruction, CallSite):
        return program.name(StaticInstance(step.function, step.at))
    return opcode(instruction)


def block(program: Program, step: Issued) -> str:
    """The name of a slot's block."""
    return program.module.functions[step.function].blocks[step.block].name


def targets(module: Module, parted: Parted) -> dict[str, str]:
    """Where a branch that parted its lanes sent each of them."""
    blocks = module.functions[parted.step.function].blocks
    destinations = [
        (lane, blocks[target].name) for target, mask in parted.targets.items() for lane in lanes(mask)
    ]
    return {str(lane): name for lane, name in sorted(destinations)}


# -- Two programs side by side on each machine, such as one before and after a transform


def beside(
    names: tuple[str, str],
    modules: tuple[Module, Module],
    machines: Sequence[Simulated],
    others: Sequence[Simulated],
) -> str:
    """A line per machine: issue slots, the share of active lanes and the verdict, of one and of the other;
    then the code sizes."""
    rows: list[tuple[str, ...]] = [
        ("machine", "issues", "beside", "", "utilisation", "beside", "verdict", "beside")
    ]
    for left, other in zip(machines, others, strict=True):
        both = (left, other)
        ran = all(s.refused is None for s in both)
        issues = [str(s.issues) if s.refused is None else "-" for s in both]
        active = [f"{100 * s.utilisation:.0f} %" if s.refused is None else "-" for s in both]
        more = change(left.issues, other.issues) if ran else ""
        rows.append((left.policy, *issues, more, *active, *map(word, both)))
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
    lines_beside = [f"{names[0]}, and beside it {names[1]}", "", *lines]
    return "\n".join(line.rstrip() for line in lines_beside) + "\n"


def word(machine: Simulated) -> str:
    """The verdict in a word."""
    if machine.refused is not None:
        return "refused"
    if machine.departure is not None:
        return "departs"
    if machine.ending is None:
        return "hangs"
    return "conforms" if isinstance(machine.ending, Returned) else "not known"


def change(figure: int, other: int) -> str:
    """By how much a number changes.

    >>> change(18, 26), change(20, 10), change(3, 3)
    ('+44 %', '-50 %', '+0 %')
    """
    return f"{100 * (other - figure) / figure:+.0f} %" if figure else ""


def github(name: str, module: Module, machines: Sequence[Simulated]) -> str:
    """``convcheck simulate --format github``: of one machine alone a departure or a hang is an error, of
    several a notice, for they need not all conform."""
    severity = "error" if len(machines) == 1 else "notice"
    lines = []
    for machine in machines:
        if machine.refused is not None:
            lines.append(workflow_command("warning", name, None, NOWHERE, machine.policy, verdict(machine)))
        elif machine.departure is not None or machine.ending is None:
            span = _departing_call(machine) if machine.departure is not None else NOWHERE
            lines.append(
                workflow_command(severity, name, module.source, span, machine.policy, verdict(machine))
            )
        else:
            lines.append(ended_command(name, module, machine.ending, machine.policy))
    return "".join(lines)


def _departing_call(machine: Simulated) -> Span:
    """Where the operation stands at which a machine departs."""
    assert machine.departure is not None and machine.machine is not None
    for group in machine.groups:
        if group.operation == machine.departure.operation:
            return machine.machine.program.span(group.site)
    return NOWHERE
